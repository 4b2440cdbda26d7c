import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { hideToken } from './live/route.js';
import { applyTheme } from './live/theme.js';

hideToken();
applyTheme();
const element = document.getElementById('page');
if (element !== null) {
  createRoot(element).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
