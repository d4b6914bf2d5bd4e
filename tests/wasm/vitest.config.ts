// The native side must be built: build/release, or another build folder in $MESHGAUGE_BUILD.
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["*.test.ts"], testTimeout: 120_000 } });
