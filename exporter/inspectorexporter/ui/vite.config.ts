import { defineConfig } from 'vitest/config'

// Files keep their names, so that a build of the same source is the same build, and the server tells by
// ETag what changed. Everything is one script, one worker and one style sheet.
export default defineConfig({
  base: '/_inspector/ui/',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    rollupOptions: {
      output: { entryFileNames: 'page.js', assetFileNames: '[name][extname]' },
    },
  },
  worker: { format: 'es', rollupOptions: { output: { entryFileNames: 'worker.js' } } },
  test: { include: ['src/**/*.test.ts'] },
})
