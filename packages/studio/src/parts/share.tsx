/** @file Sharing what a page shows: one HTML file, or the address. */

import { savePage } from '../share.ts';

export function Share({ title }: { readonly title: string }) {
  return (
    <button type="button" title="Save this page as one HTML file to send to others" onClick={() => savePage(title)}>
      Save as HTML
    </button>
  );
}
