/** @file Sharing what a page shows: one HTML file, or a link that shows this page alone for some days and can be revoked. */

import type { SharedPage } from '@ludus-agents/servers/internal/access';
import type { LinkShown, SharedLink } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { isGuest } from '../guest.ts';
import { savePage } from '../share.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './states.tsx';

interface ShareProps {
  readonly title: string;
  readonly shows: SharedPage;
}

export function Share({ title, shows }: ShareProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {isGuest ? 'Save' : 'Share'}
      </button>
      {isOpen ? <ShareDialog title={title} shows={shows} close={() => setOpen(false)} /> : null}
    </>
  );
}

function ShareDialog({ title, shows, close }: ShareProps & { readonly close: () => void }) {
  const save = () => {
    savePage(title);
    close();
  };
  return (
    <Dialog title={isGuest ? 'Save' : 'Share'} close={close}>
      <section>
        <h3>One HTML file</h3>
        <p className="muted small">Contains only this page, and opens in any browser without Ludus.</p>
        <button type="button" onClick={save}>
          Save as HTML
        </button>
      </section>
      {isGuest ? null : <Links shows={shows} />}
    </Dialog>
  );
}

const opens: Readonly<Record<SharedPage['of'], string>> = {
  run: 'Shows this run and its episodes, with their prompts and private thoughts.',
  episode: 'Shows this episode, with its prompts and private thoughts.',
  comparison: 'Shows this comparison.',
};

function Links({ shows }: Pick<ShareProps, 'shows'>) {
  const [days, setDays] = useState(7);
  const [created, setCreated] = useState<SharedLink | null>(null);
  const [isCopied, setCopied] = useState(false);
  const { loaded, reload } = useApi('/api/share', {});
  const { busy, error, run } = useAction();
  const create = () =>
    run(async () => {
      const link = await post('/api/share', { json: { ...shows, days } });
      setCreated(link);
      reload();
      // Without the permission to copy, the link is in the field.
      await navigator.clipboard.writeText(addressOf(link)).then(
        () => setCopied(true),
        () => {},
      );
    });
  const revoke = (id: string) =>
    run(async () => {
      await post('/api/share/revoke', { json: { id } });
      if (created?.id === id) setCreated(null);
      reload();
    });
  const valid = loaded.state === 'ready' ? loaded.data.filter((link) => isSame(link.shows, shows)) : [];
  return (
    <section>
      <h3>Read-only link</h3>
      <p className="muted small">
        {opens[shows.of]} It gives access to nothing else in this studio, and is read-only.
        {isLocal() ? ' This studio can be reached from this machine only; start it with --host to share it with others.' : ''}
      </p>
      {created === null ? (
        <div className="row">
          <label className="row">
            <span>Valid for</span>
            <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
              <option value="1">1 day</option>
              <option value="7">7 days</option>
              <option value="30">30 days</option>
            </select>
          </label>
          <button type="button" disabled={busy} onClick={create}>
            Create link
          </button>
        </div>
      ) : (
        <label className="field">
          <span>{isCopied ? 'Link (copied); it is shown only once' : 'Link; it is shown only once'}</span>
          <input readOnly value={addressOf(created)} onFocus={(event) => event.target.select()} />
        </label>
      )}
      {valid.length === 0 ? null : (
        <ul className="plain-list" aria-label="Valid links">
          {valid.map((link) => (
            <li key={link.id} className="row">
              <span className="grow small">{spanText(link)}</span>
              <button type="button" className="small" disabled={busy} onClick={() => revoke(link.id)}>
                Revoke
              </button>
            </li>
          ))}
        </ul>
      )}
      <Problem error={error} />
    </section>
  );
}

function spanText({ created, expires }: LinkShown): string {
  const day = (at: number) => new Date(at).toLocaleDateString('en', { month: 'short', day: 'numeric' });
  return `Created ${day(created)}${expires === null ? '' : `, expires ${day(expires)}`}`;
}

function isSame(a: SharedPage, b: SharedPage): boolean {
  const [first, other] = [a, b].map((shows) => Object.entries(shows).sort(([x], [y]) => x.localeCompare(y)));
  return JSON.stringify(first) === JSON.stringify(other);
}

function isLocal(): boolean {
  return /(^|\.)localhost$|^127\.|^\[::1\]$/.test(location.hostname);
}

/** This page by an address that carries the token. The name of a session's host is its owner's alone. */
function addressOf({ token }: SharedLink): string {
  const host = location.hostname.endsWith('.localhost') ? `localhost:${location.port}` : location.host;
  return `${location.protocol}//${host}/?token=${token}${location.hash}`;
}
