/**
 * @file The language agent: perceives, composes one prompt, asks its model once, and carries what it must in its mind.
 *
 * Model, persona, texts, notes and settings come from its spec. Other architectures and reflection may take more calls than one, and say so
 * in their own files; every call is in the reply.
 */

import {
  type Agent,
  type AgentSpec,
  Fault,
  type Json,
  type Model,
  type ModelCall,
  type Prompt,
  type Reply,
  type Seat,
  type Turn,
} from '../../core/index.ts';
import { type Persona, renderPersona, type Section } from '../../personas/index.ts';
import { cutTo, estimate, type Tokens } from '../mind/budget.ts';
import { emptyMemory, type Memory, remember, touch, trimmed, valid } from '../mind/memory.ts';
import { type Mind, readMind } from '../mind/mind.ts';
import { planIn } from '../mind/plan.ts';
import { insightsIn } from '../mind/reflect.ts';
import type { Embed } from '../mind/relevance.ts';
import { allowedTo, type ToolRecord, type ToolSet, type Toolset, toolset } from '../tools/tool.ts';
import { actionText, type ExtraField, formSchema, type ParsedAnswer } from './answer.ts';
import { type Architecture, plain } from './architectures/architecture.ts';
import { type Composed, compose } from './compose.ts';
import { type Player, perceiveTurn, type Stirred } from './perception.ts';
import { type Frame, frameOf, promptOf, reflectionPrompt } from './prompt.ts';
import { type ArchitectureName, type LlmSettings, personaOf, readSettings } from './settings.ts';

export interface LlmOptions {
  readonly spec: AgentSpec;
  readonly seat: Seat;
  readonly model: Model;
  /** The model's own tokenizer, where it is known. */
  readonly tokens?: Tokens | undefined;
  readonly embed?: Embed | undefined;
  readonly tools?: ToolSet | undefined;
}

const architectures: Readonly<Record<ArchitectureName, () => Promise<Architecture>>> = {
  plain: async () => plain,
  react: async () => (await import('./architectures/react.ts')).react,
  'role-play': async () => (await import('./architectures/role-play.ts')).rolePlay,
  'solo-performance': async () => (await import('./architectures/solo-performance.ts')).soloPerformance,
  'jekyll-hyde': async () => (await import('./architectures/jekyll-hyde.ts')).jekyllHyde,
};

/** Records that a mind keeps, characters of a thought, and records that a reflection looks at. */
const mostRecords = 40;
const longestThought = 600;
const reflectedOn = 100;

export async function llmAgent(options: LlmOptions): Promise<Agent> {
  const { spec, model } = options;
  const persona = spec.persona === undefined ? null : personaOf(spec.persona, spec.name);
  const settings = readSettings(spec, persona);
  const architecture = await architectures[settings.architecture]();
  const tools = await toolsFor(options, settings);
  const { player, bare, extras } = seated(options, { persona, settings, architecture, tools });
  const sampling = settings.answer === 'json' ? { ...settings.sampling, schema: formSchema(extras) } : settings.sampling;

  async function act(turn: Turn, signal: AbortSignal): Promise<Reply> {
    const calls: ModelCall[] = [];
    let mind = readMind(turn.mind);
    const felt = perceiveTurn(player, turn, mind);
    if (felt.due && mind !== undefined) mind = await reflected(player, { mind, felt, model, calls }, signal);
    const composed = await compose(player, turn, { mind, stirred: felt });
    const {
      answer,
      calls: made,
      uses,
    } = await architecture.play({
      prompt: composed.prompt,
      neutral: () => neutralPrompt(composed, bare),
      model,
      sampling,
      form: settings.answer,
      tools,
      steps: settings.steps,
      signal,
    });
    calls.push(...made);
    const after = carried(player, composed, answer, uses ?? []);
    return { action: { text: actionText(answer) }, mind: after as unknown as Json, calls };
  }

  return { name: spec.name, act };
}

interface Casting {
  readonly persona: Persona | null;
  readonly settings: LlmSettings;
  readonly architecture: Architecture;
  readonly tools: Toolset | null;
}

/** Everything about an agent that is the same in every turn, made once; and its frame without the persona. */
function seated(options: LlmOptions, { persona, settings, architecture, tools }: Casting) {
  const { spec, seat, tokens = estimate } = options;
  const others = settings.others.map((other) => ({ persona: other }));
  const sections = persona === null ? [] : renderPersona(persona, { others, ...(settings.user !== null && { user: settings.user }) });
  const extras: ExtraField[] = [];
  if (settings.remember) extras.push('remember');
  if (settings.plan) extras.push('plan');
  if (settings.context === 'constant' || settings.context === 'summary') extras.push('memo');
  const framed = (shown: readonly Section[], who: Persona | null) =>
    frameOf(
      {
        form: settings.answer,
        extras,
        manner: architecture.manner ?? '',
        texts: spec.texts ?? {},
        sections: shown,
        before: architecture.before?.(who, settings.feedback) ?? [],
        tools: tools?.specs ?? [],
      },
      tokens,
    );
  const called = persona === null ? [] : [persona.name, persona.nickname ?? '', ...persona.aliases];
  const player: Player = {
    seat,
    names: [seat, ...called].filter((name) => name !== ''),
    persona,
    settings,
    frame: fitting(sections, (shown) => framed(shown, persona), settings, spec.name),
    reminder: sections.find(({ bucket }) => bucket === 'G') ?? null,
    notes: notesOf(spec.notes ?? [], seat),
    tokens,
    embed: options.embed,
    lines: new WeakMap(),
  };
  return { player, bare: framed([], null), extras };
}

/** The frame, without examples, lore and others where the budget cannot hold them. */
function fitting(sections: readonly Section[], framed: (shown: readonly Section[]) => Frame, settings: LlmSettings, who: string): Frame {
  let shown = sections;
  let frame = framed(shown);
  if (settings.budget === null) return frame;
  const most = settings.budget - settings.tail - 80;
  for (const name of ['examples', 'lore', 'others']) {
    if (frame.tokens <= most) return frame;
    shown = shown.filter((section) => section.name !== name);
    frame = framed(shown);
  }
  if (frame.tokens > most)
    throw new Fault(
      'input',
      `${who}: rules and persona take ${frame.tokens} tokens, which a budget of ${settings.budget} with a tail of ${settings.tail} cannot hold; raise "budget" or shorten the texts.`,
    );
  return frame;
}

function neutralPrompt({ composition }: Composed, frame: Frame): Prompt {
  return promptOf({ ...composition, frame, now: composition.now.replace(/^(?:You feel|You want|You remember|- |Your plan).*\n/gm, '') });
}

async function toolsFor({ spec, seat, tools }: LlmOptions, settings: LlmSettings): Promise<Toolset | null> {
  if (spec.tools === undefined || spec.tools.length === 0) return null;
  if (settings.architecture !== 'react')
    throw new Fault(
      'input',
      `${spec.name}: tools need the architecture "react", but it is "${settings.architecture}"; change one of the two.`,
    );
  if (tools === undefined)
    throw new Fault('input', `${spec.name} wants tools (${spec.tools.join(', ')}), but none are at hand; run it where they are.`);
  const boxes = await Promise.all(spec.tools.map((name) => tools.open(name)));
  return toolset(
    boxes.flatMap((box) => box.tools),
    allowedTo(seat, tools.roles),
    settings.allow,
  );
}

/** Long-term memory: known from the beginning, and never stored with the mind. */
function notesOf(notes: readonly string[], seat: Seat): Memory {
  return notes.reduce(
    (memory, text, i) => remember(memory, { id: `n${i + 1}`, kind: 'fact', text, owner: seat, importance: 7 }, 0),
    emptyMemory,
  );
}

/** The mind after the answer: what was noted, planned and thought. */
function carried({ seat, settings, tokens }: Player, { mind, due }: Composed, answer: ParsedAnswer, uses: readonly ToolRecord[]): Mind {
  const now = mind.turn;
  let memory = touch(mind.memory ?? emptyMemory, mind.why?.memories ?? [], now);
  if (settings.remember)
    for (const { key, text } of answer.remember)
      memory = remember(
        memory,
        { kind: 'fact', key, text: `${key}: ${text}`, owner: seat, importance: 7, evidence: [`e${mind.count - 1}`] },
        now,
      );
  const plan = settings.plan ? (planIn(answer.plan, now) ?? mind.plan) : undefined;
  const wrote = answer.memo !== '' && (settings.context === 'constant' || due);
  const memo = wrote ? { text: cutTo(answer.memo, settings.memo, tokens), upTo: mind.count } : mind.memo;
  return {
    ...mind,
    ...(memory.records.length === 0 ? {} : { memory: trimmed(memory, mostRecords) }),
    ...(plan === undefined ? {} : { plan }),
    ...(memo === undefined ? {} : { memo }),
    ...(answer.thought === '' ? {} : { thought: answer.thought.slice(0, longestThought).toWellFormed() }),
    ...(uses.length === 0 ? {} : { uses }),
  };
}

/** The mind with insights from a reflection, which costs one call. */
async function reflected(
  { seat, persona }: Player,
  now: { readonly mind: Mind; readonly felt: Stirred; readonly model: Model; readonly calls: ModelCall[] },
  signal: AbortSignal,
): Promise<Mind> {
  const { mind, felt, model, calls } = now;
  const memory = mind.memory ?? emptyMemory;
  const heard = felt.perception.items.flatMap(({ index, seen }) =>
    seen.kind === 'message' ? [{ id: `e${index}`, text: seen.from === undefined ? seen.text : `${seen.from}: ${seen.text}` }] : [],
  );
  const records = [...valid(memory, { at: mind.turn, viewer: seat }), ...heard].slice(-reflectedOn);
  const texts = records.map(({ text }) => text);
  const call = await model.complete(reflectionPrompt(persona?.name ?? seat, texts), {}, signal);
  calls.push(call);
  const ids = records.map(({ id }) => id);
  return { ...mind, memory: insightsIn(call.text, ids, seat).reduce((kept, insight) => remember(kept, insight, mind.turn), memory) };
}
