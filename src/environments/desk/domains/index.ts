/** @file Domains whose tools are programs of ours, named by a desk's tools as {"run": "retail.cancel_pending_order"}. */

import type { JsonObject } from '../../../core/index.ts';
import { sentenceOf } from '../../../core/index.ts';
import type { DeskDatabase, DeskTool } from '../document.ts';
import type { DeskResult } from '../tools.ts';
import { airline } from './airline.ts';
import { DomainDraft, Misfit } from './draft.ts';
import { retail } from './retail.ts';
import type { DomainTool } from './tool.ts';

const domains: Readonly<Record<string, readonly DomainTool[]>> = { airline, retail };

function toolNamed(run: string): DomainTool | undefined {
  const [domain = '', name = ''] = run.split('.', 2);
  return Object.hasOwn(domains, domain) ? domains[domain]!.find((one) => one.name === name) : undefined;
}

/** The tools of a domain as a desk has them. */
export function domainTools(domain: string): readonly DeskTool[] {
  return (domains[domain] ?? []).map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
    does: { run: `${domain}.${name}` },
  }));
}

export function domainWrites(run: string): boolean {
  return toolNamed(run)?.writes === true;
}

export function runDomain(run: string, database: DeskDatabase, args: JsonObject): DeskResult {
  const found = toolNamed(run);
  if (found === undefined)
    return { ok: false, problem: `There is no program ${run}; there are those of ${Object.keys(domains).join(' and ')}.` };
  const draft = new DomainDraft(database);
  try {
    const value = structuredClone(found.run(draft, structuredClone(args)));
    return { ok: true, value, database: found.writes ? draft.database : database };
  } catch (thrown) {
    if (thrown instanceof Misfit) return { ok: false, problem: thrown.message };
    // Arguments of another form than the tool expects are the caller's mistake.
    return { ok: false, problem: `The arguments do not fit: ${sentenceOf(thrown)}` };
  }
}
