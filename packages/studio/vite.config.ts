/** @file How the page is built: into packages/servers/page, where the server finds it. */

import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../servers/page', import.meta.url)),
    emptyOutDir: true,
    // Nothing inline: the content security policy allows files of our own and nothing else.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
});
