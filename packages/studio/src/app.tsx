/** @file The frame around every page: menu, theme, the page, and its error screen. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { Component, lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { isGuest, isReadable, shared } from './guest.ts';
import { type Group, groups, NotLoaded, pages } from './pages.ts';
import { CandidateTitles } from './parts/agent-name.tsx';
import { Icon } from './parts/icons.tsx';
import { Failed, Loading, Unloaded } from './parts/states.tsx';
import { match, settle, useRoute } from './router.ts';
import { restoreScroll } from './scroll-memory.ts';
import { applyTheme, type Theme, themeNow } from './theme.ts';

export function App() {
  const { path, query, hash } = useRoute();
  const main = useRef<HTMLElement>(null);
  const [finding, setFinding] = useState(false);
  useEffect(() => {
    if (shared !== null && path === '/') settle(shared);
  }, [path]);
  useEffect(() => {
    if (isGuest) return;
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      setFinding((before) => !before);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const matchedPage = pages.map((page) => ({ page, params: match(page.path, path) })).find(({ params }) => params !== null);
  const title = matchedPage?.page.title ?? 'Not found';
  const place = path.split('/', 3).join('/');
  // Before effects of the page itself, which may know a better name for the tab.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place under the same title is another page too.
  useLayoutEffect(() => {
    document.title = `${title} – Ludus`;
    main.current?.focus({ preventScroll: true });
    return restoreScroll();
  }, [title, place]);
  const Found = matchedPage?.page.page;
  return (
    <>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Menu path={path} group={matchedPage?.page.group} find={() => setFinding(true)} />
      <Suspense fallback={null}>{isGuest ? null : <Notices />}</Suspense>
      <main id="main" ref={main} tabIndex={-1} data-shown={hash}>
        <Boundary key={place}>
          <Suspense fallback={<Loading what={title} />}>
            {!isReadable(path) ? (
              <NotShared />
            ) : Found === undefined ? (
              <Failed title="Page not found" error={`No page has the address ${path.slice(0, 100)}.`}>
                <a href="#/">Go to Home</a>
              </Failed>
            ) : (
              <CandidateTitles>
                <Found params={matchedPage?.params ?? {}} query={query} />
              </CandidateTitles>
            )}
          </Suspense>
        </Boundary>
      </main>
      <Suspense fallback={null}>{finding ? <Palette close={() => setFinding(false)} /> : null}</Suspense>
    </>
  );
}

function NotShared() {
  return (
    <Failed title="Not part of this link" error="A read-only link shows one run, comparison, or episode.">
      <a className="button" href={shared ?? '#/'}>
        Open the shared page
      </a>
    </Failed>
  );
}

interface MenuProps {
  readonly path: string;
  readonly group: Group | undefined;
  readonly find: () => void;
}

/** Sections, and under them the pages of the one that is shown. */
function Menu({ path, group, find }: MenuProps) {
  const [theme, setTheme] = useState<Theme>(themeNow());
  const choose = (wanted: Theme) => {
    applyTheme(wanted);
    setTheme(wanted);
  };
  const listed = under(path);
  const here = (page: string) => listed === page || listed.startsWith(`${page}/`);
  const inside = group === undefined ? [] : menuOf(group);
  return (
    <header className="menu">
      <div className="bar">
        <a className="brand" href={shared ?? '#/'} aria-current={path === '/' ? 'page' : undefined}>
          <img src="/icon.svg" alt="" width="24" height="24" /> Ludus
        </a>
        {isGuest ? (
          <p className="grow">
            <span className="badge">Read-only link</span>
          </p>
        ) : (
          <>
            <nav aria-label="Sections">
              <ul>
                {groups.map((name) => (
                  <li key={name}>
                    <a href={`#${menuOf(name)[0]?.to}`} aria-current={name === group ? (inside.length > 1 ? 'true' : 'page') : undefined}>
                      <Icon name={name} />
                      {name}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
            <FindButton open={find} />
            <a className="docs" href="/docs/" target="_blank" rel="noreferrer">
              Docs
            </a>
          </>
        )}
        <label className="theme">
          <span className="hidden">Theme</span>
          <select value={theme} onChange={(event) => choose(event.target.value as Theme)}>
            <option value="system">Auto</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
      </div>
      {inside.length < 2 || isGuest ? null : <Inside pages={inside} here={here} />}
    </header>
  );
}

/** Loaded when the search is opened, so that it doesn't slow down the first page. */
const Notices = lazy(async () => ({ default: (await import('./parts/notices.tsx')).Notices }));
const Palette = lazy(async () => ({ default: (await import('./parts/palette.tsx')).Palette }));

function FindButton({ open }: { readonly open: () => void }) {
  const key = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';
  return (
    <button type="button" className="find" onClick={open}>
      <span>Search</span> <kbd className="kbd">{key}</kbd>
    </button>
  );
}

/** Pages that are not in the menu themselves, with the one that leads to them. */
const leads: Readonly<Record<string, string>> = {
  ...{ '/run': '/runs', '/e': '/runs', '/trace': '/runs', '/branches': '/runs', '/compare': '/runs' },
  ...{ '/trainings': '/training', '/lesson': '/training', '/board': '/boards' },
  ...{ '/persona': '/personas', '/population': '/personas', '/seat': '/play' },
};

function under(path: string): string {
  return leads[path.split('/', 2).join('/')] ?? path;
}

interface MenuPage {
  readonly to: string;
  readonly name: string;
}

/** The pages of a section as listed in the menu, without their parameters. */
function menuOf(group: Group): readonly MenuPage[] {
  return pages.flatMap(({ path, nav, group: pageGroup }) =>
    nav === undefined || pageGroup !== group ? [] : [{ to: path.replace(linear(/\/:.*$/), ''), name: nav }],
  );
}

function Inside({ pages: listed, here }: { readonly pages: readonly MenuPage[]; readonly here: (page: string) => boolean }) {
  const nav = useRef<HTMLElement>(null);
  // On a phone the list scrolls: the page that is shown is not left outside of it.
  useLayoutEffect(() => {
    const [list, link] = [nav.current, nav.current?.querySelector<HTMLElement>('[aria-current=page]')];
    if (list !== null && link) list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
  });
  return (
    <nav ref={nav} className="inside" aria-label="Pages">
      <ul>
        {listed.map(({ to, name }) => (
          <li key={to}>
            <a href={`#${to}`} aria-current={here(to) ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A page that breaks does not take the menu with it. */
class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: string | null; readonly unloaded: boolean }> {
  override state = { error: null, unloaded: false };

  static getDerivedStateFromError(thrown: unknown): { error: string; unloaded: boolean } {
    return { error: thrown instanceof Error ? thrown.message : String(thrown), unloaded: thrown instanceof NotLoaded };
  }

  override render(): ReactNode {
    const { error, unloaded } = this.state;
    if (error === null) return this.props.children;
    if (unloaded) return <Unloaded />;
    return <Failed title="Something went wrong" error={error} retry={() => location.reload()} />;
  }
}
