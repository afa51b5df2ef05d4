/** @file `ludus persona draft`: a new scene from what is known: lore of its characters, earlier scenes of theirs, and facts from files. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { createModel } from '@ludus-agents/agents/internal/models/index';
import { draftScene, type Persona, readScene } from '@ludus-agents/agents/internal/personas/index';
import {
  factPassages,
  type KnownPassage,
  lorePassages,
  playedPassages,
  recallPassages,
  sceneByRule,
  sceneRequest,
} from '@ludus-agents/agents/internal/personas/scene-knowledge';
import { slug } from '@ludus-agents/agents/internal/personas/slug';
import { pretty, resolvePersona, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { Fault, type JsonObject, printable, type Store } from '@ludus-agents/kernel/internal/core/index';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type StoreOptions, storeExists, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { wrap } from '../../render/width.ts';
import { withinBudget } from '../../spending.ts';
import { columnsOf, interruptible, print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly cast?: readonly string[];
  readonly facts?: readonly string[];
  readonly model?: string;
  readonly most?: number;
  readonly output?: string;
  readonly json?: boolean;
}

/** Earlier scenes that are looked into, the latest of them. */
const mostScenes = 200;

export const draft: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { cast = [], most = 6 } = options;
    const about = args[0]!.trim();
    if (about === '') throw new Fault('input', 'The description of the scene is empty.');
    if (cast.length < 2 || cast.length > 8)
      throw new Fault(
        'input',
        `A scene has two to eight characters, but --cast has ${cast.length}. List them, such as --cast villain innkeeper.`,
      );
    const file = options.output ?? `${slug(about).slice(0, 40) || 'scene'}.json`;
    if (options.output === undefined && existsSync(resolve(terminal.cwd, file)))
      throw new Fault('input', `${file} already exists. Choose another file with -o, or delete it first.`);
    const personas: Persona[] = [];
    for (const name of cast) personas.push((await resolvePersona(name, terminal)).persona);
    const facts = (options.facts ?? []).flatMap((name) => factPassages(name, textOf(resolve(terminal.cwd, name), name)));
    const played = storeExists(terminal, options)
      ? await withExistingStore(terminal, options, (store) => earlierScenes(store, personas))
      : [];
    const lore = personas.flatMap(lorePassages);
    const recalled = recallPassages(about, [...lore, ...facts, ...played], most);
    // Who a scene file names is looked for next to it.
    const folder = dirname(resolve(terminal.cwd, file));
    const beside = (name: string) => relative(folder, resolve(terminal.cwd, name)).replaceAll('\\', '/');
    const names = cast.map((name) => (existsSync(resolve(terminal.cwd, name)) ? `./${beside(name)}` : name));
    const find = async (name: string) =>
      (await resolvePersona(name, { trust: terminal.trust, stdin: terminal.stdin, cwd: folder })).persona;
    const { scene, calls } = await write({ about, names, recalled, find, model: options.model, terminal });
    writeOut(file, pretty(scene), terminal.cwd);
    if (options.json === true) printJson(terminal, { file, scene, recalled, calls });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(terminal, `${colours.green('✓')} ${file}`, '');
      for (const { text, kind, source } of recalled)
        print(terminal, ...wrap(`${kind} (${printable(source)}): ${printable(text)}`, columnsOf(terminal.stdout)));
      print(terminal, '', `${colours.cyan(`ludus play scene ./${file}`)}      play it; later scenes remember what was said`);
    }
    return exits.fine;
  }),
};

function textOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The facts ${name} cannot be read: ${reasonOf(thrown)}.`);
  }
}

/** What was said before everybody in scenes of these characters, the earliest first. */
async function earlierScenes(store: Store, personas: readonly Persona[]): Promise<readonly KnownPassage[]> {
  const ours = new Set(personas.map(({ name }) => name));
  const { id: environment } = await builtInEnvironment('social-scene');
  const scenes = (await store.episodes({ environment, limit: mostScenes })).toReversed();
  const out: KnownPassage[] = [];
  for (const { id, cast } of scenes) {
    if (!Object.values(cast).some((name) => ours.has(name))) continue;
    const names = Object.fromEntries(Object.entries(cast).filter(([seat]) => seat !== 'narrator'));
    out.push(...playedPassages(id, await store.events(id), names));
  }
  return out;
}

interface Writing {
  readonly about: string;
  readonly names: readonly string[];
  readonly recalled: readonly KnownPassage[];
  readonly find: (name: string) => Promise<Persona>;
  readonly model: string | undefined;
  readonly terminal: Parameters<typeof interruptible>[0];
}

async function write({ about, names, recalled, find, model, terminal }: Writing): Promise<{ scene: JsonObject; calls: number }> {
  if (model === undefined) {
    const scene = sceneByRule(about, names, recalled);
    await readScene(scene, find);
    return { scene, calls: 0 };
  }
  const { controller, release } = interruptible(terminal);
  try {
    const description = sceneRequest(about, names, recalled);
    const { scene, calls } = await draftScene(await createModel(model), description, find, { signal: controller.signal, cast: names });
    return { scene, calls: calls.length };
  } finally {
    release();
  }
}
