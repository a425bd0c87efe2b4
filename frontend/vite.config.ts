import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const BACKEND = process.env["VAST_DEV_BACKEND"] ?? "http://127.0.0.1:8400";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "dist",
    assetsDir: "assets",
    target: "es2022",
    reportCompressedSize: true,
  },
  server: {
    host: "127.0.0.1",
    // The reason catalogs live in the back end's folder, beside this one.
    fs: { allow: [".."] },
    proxy: {
      // The short form would change the Host header, and Django compares it with the Origin of a write.
      "/api": { target: BACKEND },
      "/admin": { target: BACKEND },
      "/static": { target: BACKEND },
      "/ws": { target: BACKEND, ws: true },
    },
  },
  test: {
    environment: "node",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
  },
});
