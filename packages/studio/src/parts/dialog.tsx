/** @file A window over the page: Escape and the button close it, and the focus goes back to where it was. */

import { type ReactNode, useEffect, useId, useRef } from 'react';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, close, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opened = box.current;
    if (opened?.open === false) opened.showModal();
    // What is to be filled in comes first, not the button that closes it.
    opened?.querySelector<HTMLElement>('form textarea, form select, form input, form button')?.focus();
    return () => opened?.close();
  }, []);
  return (
    <dialog ref={box} aria-labelledby={id} onClose={close}>
      <div className="row head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="plain" aria-label="Close" onClick={close}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  );
}
