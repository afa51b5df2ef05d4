/** @file Says when something that was started here has ended: on the page, and by the system where the person allowed it. */

import { useEffect, useRef, useState } from 'react';
import { get, keepReading } from '../client.ts';
import { formatGrouped, runTitle } from '../format.ts';
import type { Answer } from '../requests.ts';
import { link, withQuery } from '../router.ts';
import './notices.css';

type Ended = Answer<'GET', '/api/jobs'>['ended'][number];

/** How often it is asked while something runs, and while nothing does. */
const [busy, idle] = [3000, 15_000];
const mostShown = 3;
/** Milliseconds after which the oldest goes by itself, unless something got worse: that stays until it is dismissed. */
const shownFor = 12_000;

export function Notices() {
  const [notices, setNotices] = useState<readonly Ended[]>([]);
  const since = useRef<number | null>(null);
  useEffect(
    () =>
      keepReading(async (leave) => {
        try {
          const { running, ended } = await get('/api/jobs', {}, leave);
          const newest = ended.reduce((latest, { at }) => Math.max(latest, at), since.current ?? 0);
          // What ended before this page was opened is no news.
          const fresh = since.current === null ? [] : ended.filter(({ at }) => at > (since.current ?? 0));
          since.current = newest;
          // Who looks at the run sees that it has ended, but not that an earlier one was better.
          const elsewhere = fresh.filter(({ run, regression }) => regression !== null || !location.hash.includes(encodeURIComponent(run)));
          if (elsewhere.length > 0) setNotices((before) => [...before, ...elsewhere].slice(-mostShown));
          for (const job of fresh) notifySystem(job);
          return running.length > 0 ? busy : idle;
        } catch {
          return idle;
        }
      }),
    [],
  );
  useEffect(() => {
    const oldest = notices.find(({ regression }) => regression === null);
    if (oldest === undefined) return;
    const timer = setTimeout(() => setNotices((before) => before.filter((job) => job !== oldest)), shownFor);
    return () => clearTimeout(timer);
  }, [notices]);
  if (notices.length === 0) return null;
  return (
    <section className="notices" aria-label="Notifications" aria-live="polite">
      {notices.map((job) => (
        <p key={`${job.run} ${job.at}`} className={`card notice ${job.error === null && job.regression === null ? '' : 'bad'}`}>
          <span className="grow text">
            {textOf(job)} <a href={link('run', job.run)}>Open</a>
            {job.regression === null ? null : (
              <>
                {' '}
                <a href={withQuery('#/compare', { a: job.run, b: job.regression.than })}>Compare</a>
              </>
            )}
          </span>
          <button type="button" className="bare" aria-label="Dismiss" onClick={() => setNotices(notices.filter((other) => other !== job))}>
            ×
          </button>
        </p>
      ))}
    </section>
  );
}

function textOf({ title, done, planned, error, regression }: Ended): string {
  if (error !== null) return `${title} stopped: ${error}`;
  const end = `${title} has ended${planned === null ? '' : ` after ${formatGrouped(done)} episodes`}.`;
  return regression === null
    ? end
    : `${end} It scored lower than ${runTitle({ id: regression.than, environments: [] })}: ${regression.words}`;
}

/** Only while the page is hidden; a visible page shows the notice itself. */
function notifySystem(job: Ended): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted' || !document.hidden) return;
  const notice = new Notification('Ludus', { body: textOf(job) });
  notice.onclick = () => {
    focus();
    location.hash = link('run', job.run);
  };
}

/** Asks once whether the system may say so; gone when it is decided. */
export function NotifyButton() {
  const [state, setState] = useState(typeof Notification === 'undefined' ? 'denied' : Notification.permission);
  if (state !== 'default') return null;
  return (
    <button type="button" onClick={() => void Notification.requestPermission().then(setState)}>
      Notify me when it ends
    </button>
  );
}
