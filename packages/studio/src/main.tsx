/** @file The page begins here. */

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { followScroll } from './scroll-memory.ts';
import { applyTheme } from './theme.ts';
import './tokens.css';
import './shell.css';

applyTheme();
followScroll();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
