/** @file What the tab says: the name of the thing that a page shows. */

import { useEffect } from 'react';

/** The frame has named the page; once it knows what it shows, it says so. Null leaves the name of the page. */
export function useTitle(name: string | null): void {
  useEffect(() => {
    if (name !== null && name !== '') document.title = `${name.length > 60 ? `${name.slice(0, 59)}…` : name} – Ludus`;
  }, [name]);
}
