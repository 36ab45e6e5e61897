"""The words that mean something in tables, by meaning and language: total, source, note, unit, "of which", table,
continued, and those that stand over columns.

`values.vocabulary` asks for them. A word is added here and nowhere else. Fails on languages that are not listed.
"""

from __future__ import annotations

from typing import Literal

Meaning = Literal[
    "total", "all", "of which", "source", "note", "unit", "table", "tables", "other list", "figure", "continued",
    "contents", "list head", "head",
]  # fmt: skip

WORDS: dict[Meaning, dict[str, str]] = {
    "total": {
        "en": "total, totals, grand total, subtotal, subtotals, sub-total, sub-totals, sub total, sum, sums, aggregate",
        "de": "insgesamt, gesamt, summe, zusammen, gesamtsumme, zwischensumme, gesamtergebnis, total",
        "fr": "total, totaux, ensemble, somme, total général, sous-total",
        "es": "total, totales, suma, total general, subtotal",
        "it": "totale, totali, somma, totale generale, subtotale, complesso",
        "nl": "totaal, subtotaal, eindtotaal",
        "pt": "total, totais, soma, total geral, subtotal",
        "ca": "total, totals, suma",
        "da": "i alt, total, sum",
        "no": "i alt, totalt, sum",
        "sv": "totalt, summa, samtliga",
        "fi": "yhteensä, summa",
        "is": "alls, samtals",
        "pl": "razem, ogółem, suma, łącznie",
        "cs": "celkem, součet, úhrnem",
        "sk": "spolu, celkom, súčet",
        "hu": "összesen, mindösszesen",
        "ro": "total, total general",
        "et": "kokku",
        "lv": "kopā, pavisam",
        "lt": "iš viso",
        "hr": "ukupno, svega",
        "sl": "skupaj",
        "mk": "вкупно, општо",
        "sr": "укупно, ukupno",
        "bg": "общо, всичко",
        "ru": "итого, всего",
        "uk": "усього, всього, разом",
        "el": "σύνολο",
        "tr": "toplam, genel toplam",
        "id": "jumlah",
        "he": 'סך הכל, סה"כ, סה״כ',
        "ar": "إجمالي, الإجمالي, المجموع, جملة",
        "ja": "合計, 総数, 総計, 小計, 計",
        "zh": "合计, 总计, 小计, 總計, 合計, 小計",
        "ko": "합계, 총계, 소계",
    },
    "all": {
        "en": "all, both, overall, entire, whole, any, every, combined, whole country, the whole country",
        "de": "alle, beide",
        "fr": "tous, toutes",
        "es": "todos, todas, ambos, ambas",
        "it": "tutti, tutte, entrambi",
        "nl": "alle, beide",
        "pt": "todos, todas, ambos",
        "da": "alle, begge",
        "sv": "alla, båda",
    },
    "of which": {
        "en": "of which, of whom, out of which, out of whom, thereof, including",
        "de": "darunter, davon, hiervon, darin",
        "fr": "dont, parmi lesquels, parmi lesquelles",
        "es": "de los cuales, de las cuales, de los que, de las que, de ellos, de ellas, del cual, de la cual",
        "it": "di cui, dei quali, delle quali",
        "nl": "waarvan, waaronder, van wie",
        "pt": "dos quais, das quais, do qual, da qual",
        "da": "heraf, deraf",
        "no": "herav, hvorav, derav",
        "sv": "varav, därav",
        "fi": "josta, joista, siitä",
        "pl": "w tym, z tego, z czego",
        "cs": "z toho",
        "sk": "z toho",
        "hu": "ebből, ezen belül",
        "hr": "od toga",
        "ru": "в том числе, из них",
        "uk": "у тому числі, з них",
        "ja": "うち, 内訳",
        "zh": "其中",
    },
    "source": {
        "en": "source, sources, data source, data sources",
        "de": "quelle, quellen, datenquelle",
        "fr": "source, sources",
        "es": "fuente, fuentes",
        "it": "fonte, fonti",
        "nl": "bron, bronnen",
        "pt": "fonte, fontes",
        "da": "kilde, kilder",
        "no": "kilde, kilder",
        "sv": "källa, källor",
        "fi": "lähde, lähteet",
        "is": "heimild, heimildir",
        "pl": "źródło, źródła",
        "cs": "zdroj, pramen",
        "sk": "zdroj",
        "hu": "forrás",
        "ro": "sursa, sursă",
        "et": "allikas",
        "lv": "avots",
        "lt": "šaltinis",
        "hr": "izvor",
        "sl": "vir",
        "bg": "източник",
        "ru": "источник, источники",
        "uk": "джерело",
        "el": "πηγή, πηγές",
        "tr": "kaynak",
        "id": "sumber",
        "he": "מקור",
        "ar": "المصدر",
        "ja": "資料, 出典, 出所",
        "zh": "资料来源, 来源, 资料, 資料來源",
        "ko": "자료, 출처",
    },
    "note": {
        "en": "note, notes, footnote, footnotes, n.b., nb:, remark, remarks, abbreviation, abbreviations, legend,"
        " symbol, symbols, explanation, explanations, explanatory note, explanatory notes",
        "de": "anmerkung, anmerkungen, hinweis, hinweise, fußnote, fußnoten, fussnote, fussnoten, bemerkung,"
        " bemerkungen, erläuterung, erläuterungen",
        "fr": "note, notes, remarque, remarques, champ:, champ :, lecture:, lecture :, avertissement",
        "es": "nota, notas",
        "it": "nota, note, avvertenza",
        "nl": "noot, noten, opmerking, opmerkingen, toelichting, voetnoot, voetnoten",
        "pt": "nota, notas",
        "ca": "nota, notes",
        "da": "note, noter, anm., anmærkning",
        "no": "note, noter, merknad, anm.",
        "sv": "anm., anmärkning, anmärkningar, fotnot, not:",
        "fi": "huom., huomautus",
        "pl": "uwaga, uwagi",
        "cs": "poznámka, poznámky, pozn.",
        "sk": "poznámka, poznámky, pozn.",
        "hu": "megjegyzés, megjegyzések",
        "hr": "napomena, napomene",
        "ru": "примечание, примечания",
        "uk": "примітка, примітки",
        "el": "σημείωση, σημειώσεις",
        "tr": "not:, notlar, dipnot",
        "id": "catatan",
        "he": "הערה, הערות",
        "ar": "ملاحظة, ملاحظات",
        "ja": "注, 備考, 注記",
        "zh": "注, 注释, 说明, 附注, 備註",
        "ko": "주:, 주석, 비고",
    },
    "unit": {
        "en": "unit, units",
        "de": "einheit, einheiten, maßeinheit",
        "fr": "unité, unités",
        "es": "unidad, unidades",
        "it": "unità",
        "nl": "eenheid, eenheden",
        "pt": "unidade, unidades",
        "da": "enhed",
        "no": "enhet",
        "sv": "enhet",
        "fi": "yksikkö",
        "pl": "jednostka",
        "ru": "единица, единица измерения",
        "tr": "birim",
        "id": "satuan",
        "ja": "単位",
        "zh": "单位, 單位",
        "ko": "단위",
    },
    "table": {
        "en": "table, tab.",
        "de": "tabelle, tab.",
        "fr": "tableau",
        "es": "tabla, cuadro",
        "it": "tabella, tavola, tab.",
        "nl": "tabel",
        "pt": "tabela, quadro",
        "ca": "taula, quadre",
        "da": "tabel",
        "no": "tabell",
        "sv": "tabell",
        "fi": "taulukko",
        "is": "tafla",
        "pl": "tabela, tablica",
        "cs": "tabulka, tab.",
        "sk": "tabuľka, tab.",
        "hu": "táblázat",
        "ro": "tabel, tabelul",
        "et": "tabel",
        "lv": "tabula",
        "lt": "lentelė",
        "hr": "tablica",
        "sl": "tabela",
        "ru": "таблица, таблице, таблицу, табл.",
        "uk": "таблиця",
        "bg": "таблица",
        "el": "πίνακας",
        "tr": "tablo",
        "id": "tabel",
        "he": "טבלה, לוח",
        "ar": "جدول, لوح",
        "sr": "табела, tabela",
        "vi": "bảng",
        "th": "ตาราง",
        "hi": "तालिका, सारणी",
        "ja": "表",
        "zh": "表",
        "ko": "표",
    },
    "tables": {
        "en": "tables, tabs.",
        "de": "tabellen",
        "fr": "tableaux",
        "es": "tablas, cuadros",
        "it": "tabelle, tavole",
        "nl": "tabellen",
        "pt": "tabelas, quadros",
        "no": "tabeller",
        "sv": "tabeller",
        "ru": "таблицы, таблицах",
    },
    "other list": {  # what bears a number like a table's, in a series of its own
        "en": "exhibit, schedule"
    },
    "figure": {
        "en": "figure, fig., fig, chart, graph, scheme, plate, box, map, diagram, equation, algorithm, listing",
        "de": "abbildung, abb., abb, grafik, schaubild",
        "fr": "figure, fig., graphique, carte, schéma",
        "es": "figura, fig., gráfico, gráfica, mapa",
        "it": "figura, fig., grafico",
        "nl": "figuur, fig., grafiek, kaart",
        "pt": "figura, fig., gráfico, mapa",
        "da": "figur",
        "no": "figur",
        "sv": "figur, diagram",
        "ja": "図",
        "zh": "图, 圖",
    },
    "contents": {
        "en": "contents, table of contents, list of tables, list of figures, tables, figures",
        "de": "inhalt, inhaltsverzeichnis, tabellenverzeichnis, abbildungsverzeichnis",
        "fr": "table des matières, sommaire, liste des tableaux, liste des figures",
        "es": "índice, contenido, índice de tablas, índice de figuras",
        "it": "indice, sommario",
    },
    "continued": {
        "en": "continued, continuation, cont., cont'd, cont’d, contd, contd.",
        "de": "fortsetzung, forts., fortgesetzt",
        "fr": "suite, suite et fin",
        "es": "continuación, continúa, cont.",
        "it": "continua, continuazione, segue",
        "nl": "vervolg",
        "pt": "continuação, continua",
        "ca": "continuació",
        "da": "fortsat",
        "no": "fortsatt, forts.",
        "sv": "forts., fortsättning",
        "fi": "jatkoa, jatk.",
        "pl": "dok., ciąg dalszy",
        "cs": "pokračování",
        "ru": "продолжение",
        "ja": "続き, つづき",
        "zh": "续, 續",
        "ko": "계속",
    },
    "list head": {  # over a column of names or of what they say; no row is called so
        "en": "value, values, description, descriptions, definition, definitions, meaning, meanings, amount,"
        " amounts, number, numbers, count, counts, answer, answers, response, responses, detail, details,"
        " data, default, defaults, setting, settings, result, results, example, examples, field, fields,"
        " key, keys, attribute, attributes, parameter, parameters, property, properties, variable,"
        " variables, item, items, measure, measures, indicator, indicators, metric, metrics, statistic,"
        " statistics, characteristic, characteristics, category, categories, option, options, question,"
        " questions, feature, features",
        "de": "wert, werte, merkmal, merkmale, beschreibung, bezeichnung, eigenschaft, eigenschaften, feld,"
        " kennzahl, angabe, angaben, variable, variablen, parameter, attribut, kategorie, frage, antwort",
        "fr": "valeur, valeurs, description, définition, variable, variables, champ, champs, caractéristique,"
        " caractéristiques, attribut, paramètre, indicateur, indicateurs, catégorie, question, réponse",
        "es": "valor, valores, descripción, definición, variable, variables, campo, campos, característica,"
        " características, atributo, parámetro, indicador, indicadores, categoría, pregunta, respuesta",
        "it": "valore, valori, descrizione, definizione, variabile, variabili, campo, caratteristica,"
        " caratteristiche, attributo, parametro, indicatore, indicatori, categoria",
        "nl": "waarde, waarden, omschrijving, beschrijving, kenmerk, kenmerken, veld, eigenschap,"
        " eigenschappen, variabele, indicator, categorie",
        "pt": "valor, valores, descrição, definição, variável, variáveis, campo, campos, característica,"
        " características, atributo, parâmetro, indicador, indicadores, categoria",
        "da": "værdi, beskrivelse, egenskab, felt",
        "sv": "värde, beskrivning, egenskap, fält",
        "pl": "wartość, opis, cecha, pole, wskaźnik",
        "ru": "значение, описание, показатель, параметр, поле, характеристика",
        "ja": "値, 項目, 説明, 内容",
        "zh": "值, 数值, 项目, 說明, 指标",
    },
    "head": {  # words that often stand over columns, or before values
        "en": "name, names, title, date, year, years, month, day, time, type, kind, size, price, cost, amount,"
        " total, number, no, nr, num, id, code, rank, pos, position, place, location, address, city,"
        " state, country, region, area, population, phone, fax, email, website, url, description, desc,"
        " notes, note, comment, comments, remarks, status, category, class, group, team, player, score,"
        " result, results, points, pts, games, wins, losses, won, lost, played, goals, for, against,"
        " average, avg, min, max, mean, median, rate, ratio, percent, percentage, change, value, values,"
        " unit, units, quantity, qty, weight, height, length, width, volume, color, colour, model, brand,"
        " manufacturer, product, item, items, part, version, release, released, author, authors, artist,"
        " album, publisher, genre, language, format, duration, season, episode, director, producer,"
        " network, channel, event, venue, opponent, attendance, winner, votes, party, candidate, district,"
        " county, province, capital, currency, symbol, company, organization, institution, school,"
        " university, department, course, credits, grade, level, age, sex, gender, nationality, club,"
        " from, to, start, end, begin, opened, closed, built, completed, floors, source, reference, ref,"
        " refs, references, link, links, image, photo, picture, file, download, views, replies, topic,"
        " posts, trainer, owner, breeder, horse, purpose, command, option, function, method, parameter,"
        " argument, field, property, attribute, feature, details, detail, info, information,"
        " specification, specifications, spec, member, members, role, job, occupation, birth, death, born,"
        " died, nickname, abbreviation, airport, station, route, line, stop, departure, arrival, street,"
        " zip, postal, latitude, longitude, elevation, depth, temperature, speed, distance, frequency,"
        " power, voltage, capacity, material, stock, availability, rating, review, reviews, sales,"
        " revenue, profit, budget, gross, income, expenses, assets, liabilities, shares, dividend, yield,"
        " interest, balance, round, race, driver, car, laps, grid, crew, rider, jockey, conference,"
        " division, record, overall, home, away, pct",
        "de": "datum, jahr, monat, tag, zeit, preis, betrag, anzahl, gesamt, summe, beschreibung, bezeichnung,"
        " typ, art, größe, farbe, stadt, land, ort, platz, verein, spiele, punkte, tore, ergebnis,"
        " bemerkung, wert, einheit, menge, gewicht, länge, breite, höhe, nummer, titel",
        "fr": "nom, prénom, année, mois, jour, heure, lieu, ville, pays, région, prix, montant, nombre, taille,"
        " couleur, poids, largeur, hauteur, rang",
        "es": "fecha, año, mes, hora, lugar, ciudad, país, precio, cantidad, tamaño, peso, equipo, puntos,"
        " resultado, título, autor",
        "it": "nome, data, anno, mese, luogo, città, paese, prezzo, quantità, squadra, punti, titolo, autore",
        "pl": "nazwa, rok, miejsce, cena, liczba",
    },
}
