"""The composer's own words: lists of labels with the name of what they are, heads, titles, notes and more.

A line of `LISTS` is a name (what stands over such a list; several separated by "/") and the list itself.
"""

from __future__ import annotations


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


def _listed(text: str) -> list[str]:
    return [one.strip() for line in _lines(text) for one in line.split("|") if one.strip()]


def _named(text: str) -> list[tuple[list[str], list[str]]]:
    pairs = (line.split(":", 1) for line in _lines(text))
    return [([one.strip() for one in names.split("/")], _listed(items)) for names, items in pairs]


LISTS = _named("""
Sex/Gender: Males|Females
Sex: Men|Women
Sexe: Hommes|Femmes
Geschlecht: Männlich|Weiblich
Sexo: Hombres|Mujeres
Age/Age group: Under 5 years|5 to 9 years|10 to 14 years|15 to 19 years|20 to 24 years|25 to 34 years|35 to 44 years
Age: 15-24|25-34|35-44|45-54|55-64|65-74|75+
Alter: unter 20|20 bis 40|40 bis 60|60 bis 80|80 und älter
Marital status: Single|Married|Widowed|Divorced|Separated
Area/Residence: Urban|Rural|Metropolitan|Non-metropolitan
Race/Origin: White|Black or African American|Asian|Hispanic|American Indian|Two or more races
Education: No schooling|Primary|Secondary|Tertiary|Bachelor's degree|Master's degree|Doctorate
Industry/Sector: Agriculture|Mining|Construction|Manufacturing|Wholesale trade|Retail trade|Transportation|Finance
Wirtschaftszweig: Landwirtschaft|Bergbau|Baugewerbe|Handel|Gastgewerbe|Verkehr|Erziehung und Unterricht
Secteur: Agriculture|Industrie|Construction|Commerce|Transports|Services marchands|Administration
Rama de actividad: Agricultura|Industria|Construcción|Comercio|Transporte|Servicios
Occupation: Managers|Professionals|Technicians|Clerks|Service workers|Craft workers|Operators|Labourers
Province: Quebec|Ontario|Manitoba|Saskatchewan|Alberta|British Columbia|Nova Scotia|New Brunswick
State: Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois
State: Texas|Ohio|New York|Oregon|Utah|Nevada|Maine|Vermont|Kansas|Iowa|Montana|Wyoming|Virginia
Region: Northeast|Midwest|South|West
Region/Zone: North|South|East|West|Central
Continent: Europe|Asia|Africa|North America|South America|Oceania
Country: Germany|France|Italy|Spain|Poland|Netherlands|Belgium|Austria|Sweden|Denmark|Finland|Ireland|Portugal|Greece
Country: Brazil|Chile|China|India|Japan|Kenya|Mexico|Nigeria|Peru|South Africa|Turkey|Viet Nam
Land/Bundesland: Bayern|Hessen|Sachsen|Berlin|Hamburg|Bremen|Saarland|Thüringen|Niedersachsen|Brandenburg
Pays: Allemagne|Espagne|France|Italie|Pays-Bas|Pologne|Portugal|Suède
Région: Bretagne|Normandie|Occitanie|Corse|Grand Est|Hauts-de-France|Île-de-France
Provincia: Buenos Aires|Córdoba|Mendoza|Salta|Santa Fe|Tucumán|Chaco|Jujuy
Regione: Piemonte|Lombardia|Veneto|Liguria|Toscana|Umbria|Lazio|Puglia|Sicilia
Województwo: Dolnośląskie|Lubelskie|Łódzkie|Mazowieckie|Opolskie|Śląskie|Pomorskie
Fylke/Län: Oslo|Viken|Rogaland|Nordland|Troms|Stockholm|Uppsala|Skåne|Gotland|Västra Götaland
地域/都道府県: 北海道|青森県|東京都|大阪府|京都府|福岡県|沖縄県
地区: 北京|上海|广东|江苏|浙江|山东|四川
Регион: Москва|Санкт-Петербург|Татарстан|Самарская область|Алтайский край
City/Town: London|Leeds|Bristol|Glasgow|Cardiff|Belfast|Liverpool|Sheffield|York|Oxford
City: Houston|Chicago|Denver|Portland|Boston|Atlanta|Phoenix|Dallas|Seattle|Omaha
Fuel/Energy source: Coal|Natural gas|Crude oil|Nuclear|Hydro|Wind|Solar|Biomass|Other renewables
Energieträger: Steinkohle|Braunkohle|Erdgas|Mineralöl|Kernenergie|Wasserkraft|Windkraft
Tax/Source of revenue: Income tax|Corporate tax|Sales tax|Property tax|Customs duties|Fees and charges|Other taxes
Object/Expense: Personnel|Supplies|Equipment|Travel|Contractual services|Insurance|Rent|Utilities|Other expenses
Account/Assets: Cash and cash equivalents|Receivables|Inventory|Prepaid expenses|Property, plant and equipment|Goodwill
Liabilities: Accounts payable|Accrued liabilities|Short-term debt|Deferred taxes|Long-term debt|Shareholders' equity
Aktiva: Anlagevermögen|Umlaufvermögen|Vorräte|Forderungen|Kassenbestand
Item: Revenue|Cost of sales|Gross margin|Operating expenses|Depreciation|EBIT|Interest|Net income
Item/Source: Net income|Depreciation and amortization|Change in receivables|Change in payables|Capital expenditures
Division/Group: Food and beverages|Clothing|Housing|Health|Transport|Communication|Recreation|Education|Restaurants
Crop/Product: Wheat|Barley|Oats|Maize|Rice|Potatoes|Sugar beet|Soybeans|Cotton
Government: Federal|State|Local
Flow: Exports|Imports|Balance
Event: Births|Deaths|Marriages|Divorces
Party: Conservative|Labour|Liberal Democrat|Green|Independent|Other
Partei: CDU|SPD|Grüne|FDP|Linke|Sonstige
Mode/Transport: Car|Bus|Rail|Bicycle|Walking|Air|Water
Hub/Point: Henry Hub|Chicago Citygate|Sumas|AECO|Malin|Opal|San Juan|Permian|Waha|Katy|SoCal Border
Counterparty/Company: Duke Energy|Reliant|Dynegy|Williams|El Paso|Mirant|Aquila|Coral Energy|AEP|Sempra|Calpine
Pipeline: Transco|Tetco|ANR|NGPL|Northern Border|Transwestern|Gulf South|Columbia Gas
Plant/Unit: Chalk Point|Eddystone|Morgantown|Dickerson|Potomac River|Conemaugh|Keystone|Homer City
Desk/Team: Power East|Power West|Gas Central|Gas Texas|Crude|Weather|Metals|Credit|Origination|Structuring
Name/Employee: J. Smith|M. Garcia|K. Brown|L. Chen|S. Patel|R. Jones|A. Novak|T. Müller|D. Rossi|P. Dubois
Name/Contact: Anna Kowalska|Brian Lee|Carla Gomez|David King|Eva Lindholm|Frank Moore|Grace Park|Henry Adams
Department: Finance|Human Resources|Legal|Operations|Marketing|Sales|Engineering|Purchasing|IT
Status: Open|Closed|Pending|Approved|Cancelled|On hold
Priority/Size: Low|Medium|High|Very high
Task/Activity: Kick-off|Design|Procurement|Installation|Testing|Training|Go live|Review
Species: Salmon|Trout|Cod|Herring|Mackerel|Perch|Tuna
Variable: Mean|Standard deviation|Minimum|Maximum|Median|Observations
Model/Method: Baseline|Linear|Random forest|Boosting|BERT|Ensemble|Ours
Team/Club: Rovers|United|City|Wanderers|Athletic|Albion|Rangers
Material: Steel|Aluminium|Copper|Glass|Timber|Plastics|Cement
Question: Very satisfied|Satisfied|Neither|Dissatisfied|Very dissatisfied|Don't know
Causa: Tumores|Enfermedades infecciosas|Accidentes|Enfermedades del corazón|Diabetes|Otras causas
Offence: Burglary|Theft|Robbery|Assault|Fraud|Drug offences|Criminal damage
Tenure: Owned outright|Owned with mortgage|Social rented|Private rented|Living rent free
Ingredient/Part: Bearing|Gasket|Valve|Pump|Hose|Filter|Motor|Switch|Cable
""")  # fmt: skip

HEAD_LISTS = [_listed(line) for line in _lines("""
Number|Percent
Number|Rate
Number|Share|Change
Mean|Median|Std. dev.|Min|Max
Actual|Budget|Variance
Actual|Plan|Var|% Var
Volume|Price|Amount
Quantity|Rate|Total
Bid|Offer|Mid
Open|High|Low|Close
Both sexes|Males|Females
Total|Male|Female
Insgesamt|Männlich|Weiblich
Ensemble|Hommes|Femmes
Total|Hombres|Mujeres
合計|男|女
Value|Index|Change
Gross|Tax|Net
Beginning balance|Additions|Deletions|Ending balance
Debit|Credit|Balance
Amount|% of total
Current month|Year to date
This week|Last week|Change
Current|30 days|60 days|90 days|Over 90 days
Peak|Off-peak|Flat
MW|$/MWh|Total $
MMBtu|Price|Value
Estimate|Margin of error
Urban|Rural
Public|Private
Precision|Recall|F1
Q1|Q2|Q3|Q4
1st Qtr|2nd Qtr|3rd Qtr|4th Qtr
Mon|Tue|Wed|Thu|Fri|Sat|Sun
Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday
Lundi|Mardi|Mercredi|Jeudi|Vendredi
S|M|T|W|T|F|S
Won|Drawn|Lost|Points
Exports|Imports|Balance
Anzahl|Prozent
Nombre|%
Liczba|Udział
""")]  # fmt: skip

MONTHS = [_listed(line) for line in _lines("""
Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec
January|February|March|April|May|June|July|August|September|October|November|December
Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember
Janvier|Février|Mars|Avril|Mai|Juin|Juillet|Août|Septembre|Octobre|Novembre|Décembre
Enero|Febrero|Marzo|Abril|Mayo|Junio|Julio|Agosto|Septiembre|Octubre|Noviembre|Diciembre
""")]  # fmt: skip

OUTER_HEADS = _listed("""
Age|Sex|Race|Region|Industry|Occupation|Education|Income|By age|By sex|Type|Tenure|Country of birth|Employment
Population|Production|Consumption|Revenue|Expenditure|Number|Percent distribution|Per cent change|Value|Volume
In millions of dollars|Rate per 1,000 population|Urban|Rural|Sector|Households|Families|Persons|Assets|Liabilities
Current prices|Constant prices|Domestic|Foreign|Standard errors|Gas|Power|Trading|Expenses|Capital|Headcount
East|West|Central|Texas|Canada|Financial|Physical|Exposure|Forecast|Actuals|First Quarter|Second Quarter
Year to date|Budget|Prior year|Change from previous year|Private sector|Government|Goods|Services|Total|All persons
Fiscal year|Three months ended|Twelve months ended June 30,|Seasonally adjusted|Not seasonally adjusted|Full-time
Part-time|Wohnungen|Beschäftigte|Einnahmen|Ausgaben|Ensemble|Effectifs|Évolution|Población|Porcentaje|Ocupados
Ludność|Wartość|Befolkning|人口|世帯数|面積|Test set|Validation set|Group A|Group B|Plan|Scenario 1|Scenario 2
""")

LEVEL_NAMES = _listed("""
Name|Date|Region|Country|State|Year|Month|Item|Category|Company|Deal|ID|Code|Location|Description|Account|Product
Type|District|Plant|Customer|Contract|Period|Hour|Day|Jahr|Année|Pays|Año|Rok|Område|年|区分|Characteristic
Employee|Rank|No.|Ort|County|Station|Subject|Group|Class|Merkmal|Concepto|Item description|Line|Particulars
""")

TOTALS = _listed("""
Total|Total|Total|Total|Total|TOTAL|TOTAL|Totals|Total, all|All|All items|Insgesamt|Zusammen|Ensemble|Sum|Grand total
Totale|Suma|Razem|Ogółem|Итого|Всего|合計|总计|I alt|Totalt|Overall|Total general
""")
CLOSINGS = ["Total {}", "Total {}", "Total {}", "TOTAL {}", "Subtotal {}", "Sub-total {}", "{} total", "Total - {}"]
SUBTOTALS = _listed("Total|Total|Subtotal|Sub-total|SUBTOTAL|Sum|Zusammen|Summe|Sous-total|Net")
RESULTS = _listed("""
Average|Mean|Median|Maximum|Minimum|Variance|Change|% change|Prior year|Growth rate|Standard deviation|Difference
Percent of total|Moyenne|Durchschnitt|Promedio|Avg
""")
OF_WHICH = _listed("of which: {}|of which {}|thereof {}|including {}|davon {}|dont {}")

UNITS = _listed("""
%|(%)|$|($)|$/MWh|MW|MMBtu|(MMBtu/d)|USD|(000s)|Mcf|thousands|EUR|mill. kr|人|(number)|$000|kWh|tons|kg|km|EUR/t
1,000|Mio. €|‰|per 1,000|index|million|Prozent|en %|ha|m²|persons
""")
MISSING = _listed("-|--|–|—|n/a|N/A|NA|..|...|…|.|*|(X)|(D)|x|:|none|NULL|#|#N/A|#REF!|#DIV/0!")
FLAGS = [_listed(line) for line in _lines("""
X
x
OK
Y|N
Yes|No
Y
✓
T|F
Off|On
A|P|L
B|X
o|x
1|0
ja|nein
""")]  # fmt: skip

TITLE_PARTS = _listed("""
Population|Employment|Sales|Production|Gas positions|Daily position report|Balance sheet|Income statement|Cash flow
Budget|Forecast|Exports and imports|Enrolment|Energy use|Contracts|Inventory|Prices|Volumes|Counterparty exposure
Statement of operations|Schedule of investments|Deal summary|Curve|Capacity|Allocation|Hospital admissions|Crime
Household income|Consumer prices|Bevölkerung|Umsatz|Emplois|Recettes|Población ocupada|Ludność|Befolkning|人口
Results|Election results|Roster|Price list|Staff list|Phone list|Meeting schedule|Weather|Rainfall|Test scores
""")
TITLE_TAILS = _listed("""
by region|by sex and age|by industry|by month|for the year ended December 31|as of June 30|by state|selected years
by product|in selected countries|nach Ländern|par région|por provincia|wg województw|, annual|, quarterly|- summary
- detail|by counterparty|and percent change|per capita|for all desks
""")
SUBTITLES = _listed("""
(in thousands)|(millions of dollars)|($ in millions)|In percent|(unaudited)|Unaudited|Thousands|MMBtu/d|US$ million
(Numbers in thousands)|Confidential|DRAFT|Preliminary|In Mio. EUR|en millones de pesos|(Dollar amounts in thousands)
Seasonally adjusted|All ages|United States|By quarter|Effective date 10/1/01|Prepared by Finance|Rev. 3|w tys.
""")
COMPANIES = _listed("""
Acme Holdings Inc.|Northern Gas Company|City of Springfield|Statistics Office|Department of Health|Ministry of Finance
Blue River Energy LLC|Universität Musterstadt|Office for National Statistics|Consolidated Pipelines|School District 12
""")
GROUPS = _listed("""
Revenues|Expenses|Assets|Liabilities|Current assets|Operating activities|Investing activities|Financing activities
By age|By sex|By region|Number|Percent|Percent distribution|Rate|Level|Change|Males|Females|Both sexes|Inputs|Outputs
Gas|Power|Receipts|Deliveries|Supply|Demand|Physical|Financial|Domestic|Foreign|Goods|Services|Income|Other income
Einnahmen|Ausgaben|Männer|Frauen|Recettes|Dépenses|Ingresos|Gastos|Dochody|Wydatki|Summer|Winter|Peak|Off-peak
Characteristics of households|Occupied units|Vacant units|First shift|Second shift|Section A|Section B|Part I|Part II
""")
NOTES = _listed("""
Source: Statistics office.|Note: Figures are preliminary.|* Estimated|(1) Includes other regions.|Source: our records
Notes: Totals may not add due to rounding.|1) Revised figures|Quelle: Statistisches Bundesamt|Fuente: INE|r = revised
* Does not include April|Please call with any questions.|n.a. not available|Data as of latest month|** See contract
All volumes in MMBtu unless noted|Prices are indicative only|Source: Ministry of Finance, annual report|† Provisional
Źródło: GUS|Kilde: Statistisk sentralbyrå|資料：総務省統計局|Source : Insee, recensement de la population|p preliminary
The figures for the last year are not comparable with those of earlier years because the method was changed.
1 Excludes persons living in institutions.|2 Not adjusted for inflation.|a Less than half of the unit shown.
Copyright reserved|Contact: info@example.org|Last updated: 12/03/2019|Anmerkung: Abweichungen durch Runden|X = complete
""")
FIELDS = _listed("""
Date:|Prepared by:|To:|From:|Company:|Contact|Phone|Fax:|Total:|Rate|As of|Invoice No.|Terms|Page|Version|Subject:
Contract number|Effective date|Status|Deal number:|Currency|Scale|Discount rate|Start date|End date|Volume|Price
Location:|Project:|Name|Address|Customer|Period:|Unit|Interest rate|Term (years)|Loan amount|Tax rate|Approved by
Reference|Department:|Manager|E-mail|City|Trade date|Datum|Bearbeiter|Purchase price|Heat rate|Strike|Spot|Volatility
""")
SENTENCES = _listed("""
Fact sheet sent|Need credit approval|Waiting for reply|Met on Tuesday, follow up next week|No comment|See attached
Delivered in full|Price to be agreed|Contract under review by legal|Called twice, left message|Includes freight
Moved to phase two|Replaced in 2004|Requires board approval|ok|Not applicable|New customer|Final|First draft|tbd
""")
WRAPPED = _listed("""
Wholesale and/retail trade|Electricity, gas/and water supply|Population 15 years/and over
Finance, insurance and/real estate
Personnel costs/(including pensions)|Public administration,/defence and social security
Coke and refined/petroleum products
Persons not in/the labour force|Gebäude und/Grundstücke|Produits agricoles/et alimentaires|Hogares con/acceso a internet
Transportation,/storage and communication|Other services/n.e.c.|Net income before/extraordinary items
Children under/five years
""")
STRAYS = _listed("x|0|check|ok|?|,|done|Back to contents|Page 1|Return to index|test|draft|new|•|link|1|Print|.")
HEAD_TEXTS = {
    "phone": _listed("Phone|Fax|Telephone|Tel.|Mobile|Contact phone"),
    "date": _listed("Date|Start|End|Start date|End date|Trade date|Due|Effective|Last contact|Datum|Received|Expiry"),
    "money": _listed("Price|Amount|Cost|Rate|Fee|Unit price|Total|Value|Salary|Betrag|Montant|Precio|Balance|Premium"),
    "count": _listed(
        "Quantity|Qty|Units|Volume|Hours|Number|Count|MW|Employees|Points|Menge|Pages|Term|Size|Score|Pop."
    ),
    "share": _listed("%|Share|Percent|% of total|Growth|Margin|Rate|Anteil|Yield|Utilisation"),
    "flag": _listed("Active|Approved|Y/N|Firm|Credit|Paid|Signed|Hedged|New?|Online|Checked|OK?"),
    "words": _listed(
        "Type|Status|Region|Category|Buyer|Seller|Product|Location|Desk|Trader|Department|Commodity|City|Role"
    ),
    "code": _listed("Code|Contract #|Deal #|Ref|Meter|Account|Serial #|ZIP|PO|ISIN|Book|Room"),
    "text": _listed("Comments|Remarks|Notes|Description|Details|Bemerkung|Observaciones|Next step|Issue"),
}
