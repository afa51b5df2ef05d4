/** @file Domains whose tools are built-in programs, referenced by a desk's tools as {"run": "retail.cancel_pending_order"}. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { DeskDatabase, DeskTool } from '../document.ts';
import type { DeskResult } from '../tools.ts';
import { airline } from './airline.ts';
import { banking } from './banking.ts';
import { DomainDraft, Misfit } from './draft.ts';
import { phoneTools } from './phone-tools.ts';
import { retail } from './retail.ts';
import { syncPhone, telecom } from './telecom.ts';
import { telecomSetup } from './telecom-setup.ts';
import type { DomainTool } from './tool.ts';

interface Domain {
  readonly tools: readonly DomainTool[];
  /** Automatic effects after every call. */
  readonly after?: (draft: DomainDraft) => void;
}

const domains: Readonly<Record<string, Domain>> = {
  airline: { tools: airline },
  retail: { tools: retail },
  telecom: { tools: [...telecom, ...phoneTools, ...telecomSetup], after: syncPhone },
  banking_knowledge: { tools: banking },
};

export const domainNames = Object.keys(domains);

function domainOf(run: string): Domain | undefined {
  const [name = ''] = run.split('.', 1);
  return Object.hasOwn(domains, name) ? domains[name] : undefined;
}

function toolNamed(run: string): DomainTool | undefined {
  return domainOf(run)?.tools.find((tool) => tool.name === run.slice(run.indexOf('.') + 1));
}

/** The tools of a domain as a desk has them: those of the desk, or those of the customer. */
export function domainTools(domain: string, of: 'desk' | 'customer' = 'desk'): readonly DeskTool[] {
  return (domains[domain]?.tools ?? [])
    .filter((domainTool) => domainTool.of === of)
    .map(({ name, description, parameters }) => ({ name, description, parameters, does: { run: `${domain}.${name}` } }));
}

export function domainWrites(run: string): boolean {
  return toolNamed(run)?.writes === true;
}

export function runDomain(run: string, database: DeskDatabase, args: JsonObject): DeskResult {
  const domainTool = toolNamed(run);
  if (domainTool === undefined) return { ok: false, problem: `There is no program ${run}; there are those of ${domainNames.join(', ')}.` };
  const draft = new DomainDraft(database);
  try {
    const value = structuredClone(domainTool.run(draft, structuredClone(args)));
    if (!domainTool.writes) return { ok: true, value, database };
    domainOf(run)?.after?.(draft);
    return { ok: true, value, database: draft.database };
  } catch (thrown) {
    if (thrown instanceof Misfit) return { ok: false, problem: thrown.message };
    // Malformed arguments are the caller's mistake.
    return { ok: false, problem: `The arguments do not fit: ${sentenceOf(thrown)}` };
  }
}
