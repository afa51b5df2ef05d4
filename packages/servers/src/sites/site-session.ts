/** @file One task of the sites over HTTP: the same state, the same forms and the same check as in process, for a real browser. */

import { randomBytes } from 'node:crypto';
import { type CaseChoice, type CaseKey, caseOf, drawKey, placeOf } from '@ludus-agents/environments/internal/sites/cases';
import { judge, type SiteEnding, type SiteOutcome } from '@ludus-agents/environments/internal/sites/judge';
import type { SitePage } from '@ludus-agents/environments/internal/sites/page';
import type { Query } from '@ludus-agents/environments/internal/sites/site';
import { reasons } from '@ludus-agents/environments/internal/sites/template';
import { post, show, type Web } from '@ludus-agents/environments/internal/sites/web';
import { Fault, type Json, type JsonObject, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { equalTexts } from '../access.ts';
import type { PageReport, TaskPage } from './task-pages.ts';

/** The maximum number of changing requests per session: more are not a serious attempt. */
const mostPosts = 1000;

export class SiteSession {
  /** The cookie value of the admitted browser. */
  readonly secret: string = randomBytes(18).toString('base64url');
  readonly seed: Seed;
  /** A task of the sites, or a user's page. */
  readonly key: CaseKey | null;
  readonly page: TaskPage | null;
  readonly posts: string[] = [];
  web: Web;
  outcome: SiteOutcome | null = null;
  report: PageReport = { utterance: null, raw: null };
  #entry: string | null = randomBytes(18).toString('base64url');

  /** A task as parsed by the environment. */
  constructor(wanted: { readonly task: Json; readonly seed: Seed } | { readonly page: TaskPage; readonly seed: Seed }) {
    this.seed = wanted.seed;
    this.page = 'page' in wanted ? wanted.page : null;
    const choice = 'task' in wanted ? choiceOf(wanted.task) : null;
    this.key = choice === null ? null : drawKey(choice, rng(wanted.seed, 'start'));
    const replica = choice?.replica == null ? {} : { replica: choice.replica };
    this.web = { number: this.key?.number ?? 0, size: this.key?.size ?? 24, admin: null, data: {}, ...replica };
  }

  get goal(): string | null {
    return this.key === null ? this.report.utterance : caseOf(this.key).goal;
  }

  /** The start address of the task. */
  get start(): string {
    return this.key === null ? `/pages/${this.page?.path}` : placeOf(this.key).start;
  }

  /** The part of the address that admits one browser, once. */
  get entry(): string | null {
    return this.#entry;
  }

  enter(input: string): boolean {
    const right = this.#entry !== null && equalTexts(input, this.#entry);
    if (right) this.#entry = null;
    return right;
  }

  show(url: string): SitePage {
    return show(this.web, url);
  }

  /** Submits a form and returns the next address. After the end nothing changes any more. */
  post(url: string, form: Query): string {
    if (this.outcome !== null || this.posts.length >= mostPosts) return '/task';
    const { web, to } = post(this.web, url, form);
    this.web = web;
    this.posts.push(url);
    return to;
  }

  end(ending: SiteEnding): SiteOutcome {
    if (this.key === null) throw new Fault('input', 'Sessions on your own pages end automatically. Read the outcome at GET /sessions/ID.');
    this.outcome ??= judge(this.key, this.web, ending);
    return this.outcome;
  }

  toJson(): JsonObject {
    const pageOrTask =
      this.key === null ? { page: this.page!.path, raw: this.report.raw, reward: rewardOf(this.report) } : { task: this.key };
    return { goal: this.goal, start: this.start, posts: this.posts, outcome: this.outcome, ...pageOrTask };
  }

  close(): void {
    this.#entry = null;
  }
}

/** The score as in MiniWoB: 1 if the page paid its full reward, otherwise −1; null while it is played. */
function rewardOf({ raw }: PageReport): number | null {
  return raw === null ? null : raw === 1 ? 1 : -1;
}

function choiceOf(task: Json): CaseChoice {
  const { form, instructor } = task as JsonObject;
  if (form === 'chat' || instructor === true)
    throw new Fault('input', 'Only tasks on the sites can be played in a browser. Remove "form": "chat" and "instructor".');
  return task as unknown as CaseChoice;
}

/** The end of a task, as sent by a form or a program. */
export function readEnding(input: Readonly<Record<string, Json>>): SiteEnding {
  const { answer, impossible } = input;
  if (typeof answer === 'string' && answer.trim() !== '') return { by: 'answer', text: answer.slice(0, 2000) };
  if (input['done'] !== undefined) return { by: 'done' };
  const reason = reasons.find((reason) => reason === impossible);
  if (reason === undefined)
    throw new Fault('input', `To end, send {"done": true}, {"answer": "…"}, or {"impossible": "…"} with one of ${reasons.join(', ')}.`);
  return { by: 'impossible', reason };
}
