/**
 * @file A user's task pages as HTML files in MiniWoB format: each creates its own problem with `genProblem`, and reports its result
 * with `core.endEpisode`. They run their own scripts, so they need real browsers.
 */

import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { isInside, withSlashes } from '@ludus-agents/store/internal/files/portable-path';

/** A playable page. */
export interface TaskPage {
  /** The path below the folder, with slashes. */
  readonly path: string;
}

/** The result reported by a page. */
export interface PageReport {
  readonly utterance: string | null;
  /** The page's reward, before any time discount; null while it is played. */
  readonly raw: number | null;
}

export interface TaskPages {
  readonly folder: string;
  readonly fit: readonly TaskPage[];
  /** Unplayable pages, each with the reason. */
  readonly unfit: readonly { readonly path: string; readonly why: string }[];
}

const mostBytes = 4 * 2 ** 20;
const mostFiles = 5000;

/** Searches a folder for pages; every HTML file is either played or counted with a reason. */
export function readTaskPages(folder: string): TaskPages {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new Fault('input', `${folder} is not a folder. --pages needs the folder with your HTML files and their scripts.`);
  const root = realpathSync(folder);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => extname(file) === '.html');
  if (files.length > mostFiles) throw new Fault('input', `${folder} has ${files.length} HTML files. The limit is ${mostFiles}.`);
  const fit: TaskPage[] = [];
  const unfit: { path: string; why: string }[] = [];
  for (const file of files.sort()) {
    const path = withSlashes(file);
    const why = whyUnfit(root, file);
    if (why === null) fit.push({ path });
    else unfit.push({ path, why });
  }
  return { folder: root, fit, unfit };
}

function whyUnfit(root: string, file: string): string | null {
  if (!/^[\w./-]+$/.test(withSlashes(file))) return 'its name has characters that an address should not have';
  const text = readFileSync(join(root, file), 'utf8');
  if (!/\bgenProblem\b/.test(text)) return 'it has no genProblem, so it does not create a task';
  if (!/\bcore\.endEpisode\b/.test(text)) return 'it never calls core.endEpisode, so it has no outcome';
  const loaded = [...text.matchAll(linear(/<script[^>]*\ssrc\s*=\s*["']?([^"'\s>]+)/gi))].map(([, source]) => source!);
  const remote = loaded.find((source) => /^(?:\w+:)?\/\//.test(source));
  if (remote !== undefined) return `it loads ${remote.slice(0, 80)} from another host; put the file next to it`;
  const missing = loaded.find((source) => !isFileIn(root, resolve(root, dirname(file), source.split(/[?#]/, 1)[0]!)));
  if (missing !== undefined) return `it loads ${missing.slice(0, 80)}, which is not in the folder`;
  return loaded.some((source) => linear(/core[\w.-]*\.js/).test(source))
    ? null
    : 'it does not load core.js, which starts and ends its episodes';
}

function isFileIn(root: string, file: string): boolean {
  return isInside(file, root) && existsSync(file) && isInside(realpathSync(file), root);
}

const kinds: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
};

/** A file of the folder with its type, or null if it doesn't exist or isn't part of a page. Our script comes before the page's own. */
export function findPageFile(
  { folder }: TaskPages,
  path: string,
): { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> } | null {
  const type = kinds[extname(path)];
  const file = resolve(folder, path);
  if (type === undefined || !isFileIn(folder, file) || !statSync(file).isFile() || statSync(file).size > mostBytes) return null;
  const bytes = readFileSync(file);
  if (extname(path) !== '.html') return { type, bytes: new Uint8Array(bytes) };
  const added = '<script src="/page-start.js" defer></script>';
  const text = bytes.toString('utf8');
  const page = linear(/<head[^>]*>/i).test(text) ? text.replace(linear(/<head[^>]*>/i), (head) => `${head}${added}`) : `${added}${text}`;
  return { type, bytes: new TextEncoder().encode(page) };
}

/** Starts the episode of a page with the seed of the session, and reports the question and the result to the server. */
export function pageScript(seed: number): string {
  return `(() => {
  const tell = (report) => fetch('/page-report', { method: 'POST', body: JSON.stringify(report) });
  addEventListener('load', () => setTimeout(() => {
    const end = core.endEpisode;
    let isReported = false;
    core.endEpisode = function (reward, ...rest) {
      const result = end.call(core, reward, ...rest);
      const raw = typeof WOB_RAW_REWARD_GLOBAL === 'number' ? WOB_RAW_REWARD_GLOBAL : reward;
      if (!isReported) { isReported = true; tell({ raw: Number(raw) }); }
      return result;
    };
    if (Math.seedrandom) Math.seedrandom(String(${seed}));
    if (core.startEpisodeReal) core.startEpisodeReal();
    else core.startEpisode();
    const query = document.getElementById('query');
    tell({ utterance: core.getUtterance ? String(core.getUtterance()) : (query ? query.textContent : '') });
  }));
})();
`;
}
