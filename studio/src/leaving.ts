/** @file Asks before a page is left that holds something not saved: by a link, by the buttons of the browser, by closing the tab. */

import { useEffect, useRef } from 'react';
import { guardLeaving } from './router.ts';

/** `question` is asked while there is something to lose; null asks nothing. */
export function useLeaving(question: string | null): void {
  const words = useRef(question);
  words.current = question;
  const asks = question !== null;
  useEffect(() => {
    if (!asks) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    const release = guardLeaving(() => words.current === null || confirm(words.current));
    return () => {
      removeEventListener('beforeunload', warn);
      release();
    };
  }, [asks]);
}

/** Ctrl+S, or ⌘S, wherever the cursor is; the browser's own window for saving stays closed. */
export function useSaveKey(save: () => void): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}
