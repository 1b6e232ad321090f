import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const SERVER = 'http://127.0.0.1:7070'

/** Every asset is a separate file with a hashed name: the content security policy allows nothing inline. */
export default defineConfig({
  plugins: [react()],
  root: import.meta.dirname,
  build: {
    outDir: '../dist/ui',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { main: `${import.meta.dirname}/index.html`, sw: `${import.meta.dirname}/src/sw/service-worker.ts` },
      output: {
        // The service worker's URL is its identity, so it can't change with its content.
        entryFileNames: (chunk) => (chunk.name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
  server: { proxy: { '/api': SERVER, '/healthz': SERVER } },
})
