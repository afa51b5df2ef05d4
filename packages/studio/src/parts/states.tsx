/** @file What is shown when there is nothing to show: loading, empty, failed, offline, no token. */

import { type ReactNode, useEffect } from 'react';
import type { Loaded } from '../client.ts';

export function Loading({ what = 'page', tall = false }: { readonly what?: string; readonly tall?: boolean }) {
  return (
    <div className={`state ${tall ? 'tall' : ''}`} role="status">
      <span className="spinner" aria-hidden="true" />
      <span>Loading {what.toLowerCase()} …</span>
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="state empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface FailedProps {
  readonly title?: string;
  readonly error: string;
  readonly status?: number;
  readonly retry?: () => void;
  /** 1 where the page has no other heading. */
  readonly level?: 1 | 2;
  readonly children?: ReactNode;
}

export function Failed({ title, error, status, retry, level = 1, children }: FailedProps) {
  if (status === 401) return <NoToken />;
  const Heading = level === 1 ? 'h1' : 'h2';
  // A request that the server refused gets the same answer again: its first sentence says why.
  const isRefused = status === 400;
  const end = isRefused ? error.indexOf('. ') + 1 : 0;
  const [reason, details] = isRefused ? [end === 0 ? error : error.slice(0, end), end === 0 ? '' : error.slice(end + 1)] : [null, error];
  const heading = title ?? reason ?? (status === 0 ? 'Not connected' : status === 404 ? 'Not found' : 'Something went wrong');
  return (
    <div className="state failed" role="alert">
      <Heading>{heading}</Heading>
      {title !== undefined || details !== '' ? <p>{title === undefined ? details : error}</p> : null}
      {children}
      {retry === undefined || isRefused ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A page whose files did not come. Once the server answers, the tab is loaded anew: what was built since has other files. */
export function Unloaded() {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () =>
      fetch('/', { cache: 'no-store' }).then(
        () => location.reload(),
        () => {
          timer = setTimeout(look, 1000);
        },
      );
    timer = setTimeout(look, 1000);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="state failed" role="alert">
      <h1>Not connected</h1>
      <p>Can’t reach the server. Is it running? This page reconnects automatically.</p>
    </div>
  );
}

/** The page itself is open to anybody on this machine; what it shows is not. */
function NoToken() {
  const enter = (form: FormData) => {
    const typed = String(form.get('token') ?? '').trim();
    const token = URL.canParse(typed) ? (new URL(typed).searchParams.get('token') ?? '') : typed;
    if (token !== '') location.href = `/?token=${encodeURIComponent(token)}`;
  };
  return (
    <div className="state failed sign-in" role="alert">
      <h2>Sign in</h2>
      <p>Open the address that the server printed when it started, or paste it here.</p>
      <form className="row" action={enter}>
        <label>
          <span className="hidden">Address or token</span>
          <input name="token" autoComplete="off" spellCheck={false} placeholder="http://127.0.0.1:4747/?token=…" />
        </label>
        <button type="submit">Enter</button>
      </form>
    </div>
  );
}

interface WhenProps<T> {
  readonly loaded: Loaded<T>;
  readonly what: string;
  readonly retry?: () => void;
  readonly children: (data: T) => ReactNode;
}

/** What was loaded, or what stands in its place; a line on top says when it is no longer fresh. */
export function When<T>({ loaded, what, retry, children }: WhenProps<T>) {
  if (loaded.state === 'loading') return <Loading what={what} />;
  if (loaded.state === 'failed') return <Failed error={loaded.error} status={loaded.status} {...(retry === undefined ? {} : { retry })} />;
  return (
    <>
      {loaded.stale ? <Offline /> : null}
      {children(loaded.data)}
    </>
  );
}

export function Offline() {
  return (
    <p className="offline" role="status">
      Can’t reach the server. This page shows its last data and reconnects automatically.
    </p>
  );
}

/** One sentence about what a person just tried. */
export function Problem({ error }: { readonly error: string | null }) {
  return error === null ? null : (
    <p className="problem" role="alert">
      {error}
    </p>
  );
}
