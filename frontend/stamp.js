// Writes the hash of everything that the build is made of beside it: a test compares the two.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const own = readdirSync("src", { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile())
  .map((one) => `${one.parentPath}/${one.name}`);
const names = [...own, "index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"].sort();
const hash = createHash("sha256");
for (const name of names) hash.update(`${name}\n`).update(readFileSync(name));
writeFileSync("../src/tabellion/web/static/source.sha256", `${hash.digest("hex")}\n`);
