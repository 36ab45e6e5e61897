import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The built app goes into the Python package, so that whoever installs it needs no Node.
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../src/tabellion/web/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
  server: { proxy: Object.fromEntries(["/session", "/search", "/documents", "/tables", "/query", "/completion"].map((one) => [one, "http://127.0.0.1:8765"])) },
  test: { environment: "jsdom", globals: true },
});
