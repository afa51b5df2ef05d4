/** @file Sharing what a page shows: a link that only lets people read, or one HTML file. */

import type { SharedLink } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { post, useAction } from '../client.ts';
import { savePage } from '../share.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './states.tsx';

export function Share({ title }: { readonly title: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Share
      </button>
      {isOpen ? <ShareDialog title={title} close={() => setOpen(false)} /> : null}
    </>
  );
}

function ShareDialog({ title, close }: { readonly title: string; readonly close: () => void }) {
  const [link, setLink] = useState<SharedLink | null>(null);
  const [isCopied, setCopied] = useState(false);
  const { busy, error, run } = useAction();
  const create = () =>
    run(async () => {
      const created = await post('/api/share', {});
      setLink(created);
      // Without the permission to copy, the link is in the field.
      await navigator.clipboard.writeText(addressOf(created)).then(
        () => setCopied(true),
        () => {},
      );
    });
  const save = () => {
    savePage(title);
    close();
  };
  return (
    <Dialog title="Share" close={close}>
      <section>
        <h3>One HTML file</h3>
        <p className="muted small">Contains only this page, and opens in any browser without Ludus.</p>
        <button type="button" onClick={save}>
          Save as HTML
        </button>
      </section>
      <section>
        <h3>Read-only link</h3>
        <p className="muted small">
          Opens this page in this studio. Anyone with the link can read everything in the studio, but change nothing.
          {isLocal() ? ' This studio can be reached from this machine only; start it with --host to share it with others.' : ''}
        </p>
        {link === null ? (
          <button type="button" disabled={busy} onClick={create}>
            Create link
          </button>
        ) : (
          <>
            <label className="field">
              <span>{isCopied ? 'Link (copied)' : 'Link'}</span>
              <input readOnly value={addressOf(link)} onFocus={(event) => event.target.select()} />
            </label>
            <p className="muted small">
              Valid for {link.days} days. To revoke it, run <code>ludus config tokens revoke {link.id}</code>.
            </p>
          </>
        )}
        <Problem error={error} />
      </section>
    </Dialog>
  );
}

function isLocal(): boolean {
  return /(^|\.)localhost$|^127\.|^\[::1\]$/.test(location.hostname);
}

/** This page by an address that carries the token. The name of a session's host is its owner's alone. */
function addressOf({ token }: SharedLink): string {
  const host = location.hostname.endsWith('.localhost') ? `localhost:${location.port}` : location.host;
  return `${location.protocol}//${host}/?token=${token}${location.hash}`;
}
