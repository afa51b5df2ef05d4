/** @file A table that may be wider than its place: it scrolls by itself, by keyboard too. */

import type { ReactNode } from 'react';

export function Scroll({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
