/** @file The fields that each kind of work has a use for. */

import type { LaunchChoices, LaunchKind, LaunchRequest } from '@ludus-agents/servers/internal/studio/api';
import { useId } from 'react';
import { AreaField, NumberField, SelectField, SwitchField, TextField } from '../parts/form.tsx';
import { Gallery } from '../parts/gallery.tsx';
import { ModelField } from '../parts/model.tsx';
import { Picks } from '../parts/picks.tsx';
import { groupRecipes, Settings } from './settings.tsx';

/** A form field for JSON: an incomplete document counts as none. */
export interface LaunchForm extends Omit<LaunchRequest, 'tasks'> {
  readonly tasks?: string;
}

export const kindWords: readonly (readonly [LaunchKind, string])[] = [
  ['run', 'Batch run'],
  ['eval', 'Evaluation'],
  ['test', 'Release test'],
  ['arena', 'Tournament'],
  ['attack', 'Attack'],
  ['probe', 'Character probe'],
  ['scene', 'Scene'],
  ['survey', 'Survey'],
  ['train', 'Training'],
  ['improve', 'Prompt optimization'],
];

interface FieldsProps {
  readonly form: LaunchForm;
  readonly of: LaunchChoices;
  readonly set: (part: Partial<{ readonly [K in keyof LaunchForm]: LaunchForm[K] | undefined }>) => void;
}

type Part = (props: FieldsProps) => React.JSX.Element | null;

const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);

const Environments: Part = ({ form, of, set }) => (
  <Picks label="Environments" value={form.environments ?? []} of={of.environments} change={(environments) => set({ environments })} />
);
const Agents: Part = ({ form, of, set }) => (
  <Picks
    label="Agents"
    about="random, scripted:NAME, llm:MODEL, bot:URL, local/RUN@best, or a file"
    value={form.agents ?? []}
    of={of.agents}
    change={(agents) => set({ agents })}
  />
);
const Tasks: Part = ({ form, set }) => (
  <AreaField
    label="Tasks"
    about='One JSON object per line, like {"rounds": 5}. Leave empty for the default task.'
    value={form.tasks ?? ''}
    change={(tasks) => set({ tasks })}
  />
);
const Seeds: Part = ({ form, set }) => (
  <NumberField label="Seeds" about="Number of seeds" value={form.seeds} from={1} to={100_000} change={(seeds) => set({ seeds })} />
);
const From: Part = ({ form, set }) => (
  <NumberField label="First seed" value={form.from} from={0} to={2 ** 31} change={(from) => set({ from })} />
);
const Name: Part = ({ form, set }) => (
  <TextField
    label="Name"
    about="Runs with the same name are merged. Leave empty for an automatic name."
    value={form.name ?? ''}
    change={(name) => set({ name: name === '' ? undefined : name })}
  />
);
const Against: Part = ({ form, set }) => (
  <TextField
    label="Opponent"
    about="Agent on the other seats. Leave empty for self-play."
    value={form.against ?? ''}
    change={(against) => set({ against: against === '' ? undefined : against })}
  />
);
const Games: Part = ({ form, set }) => (
  <NumberField
    label="Games"
    about={form.what === 'train' ? 'Default: from the recipe' : 'Upper limit; every pair plays both sides'}
    value={form.games}
    from={1}
    to={1e9}
    change={(games) => set({ games })}
  />
);

interface ChosenProps {
  readonly label: string;
  readonly value: string;
  readonly of: LaunchChoices['suites'];
  readonly change: (name: string) => void;
}

function Chosen({ label, value, of, change }: ChosenProps) {
  return (
    <SelectField
      label={label}
      value={value}
      about={of.find(({ name }) => name === value)?.about ?? ''}
      of={names(of).map((name) => [name, name] as const)}
      change={change}
    />
  );
}

/** A selected or typed name; files in other folders are not listed. */
function NamedField({ label, about, value, of, change }: ChosenProps & { readonly about: string }) {
  const id = useId();
  return (
    <>
      <TextField label={label} about={of.find(({ name }) => name === value)?.about ?? about} list={id} value={value} change={change} />
      <datalist id={id}>
        {of.map(({ name, about: description }) => (
          <option key={name} value={name}>
            {description}
          </option>
        ))}
      </datalist>
    </>
  );
}

const Suite: Part = ({ form, of, set }) => (
  <NamedField
    label="Suite"
    about="A built-in suite, a file like ./suite.json, or a desk folder like ./shop"
    value={form.suite ?? ''}
    of={of.suites}
    change={(suite) => set({ suite })}
  />
);
/** The rules of a release test: without any, every attempt must pass. */
const Rules: Part = ({ form, of, set }) => (
  <>
    <NumberField
      label="Minimum pass rate (%)"
      about="Leave empty if every attempt must pass"
      value={form.failUnder === undefined ? undefined : Math.round(1000 * form.failUnder) / 10}
      from={0}
      to={100}
      change={(percent) => set({ failUnder: percent === undefined ? undefined : percent / 100 })}
    />
    <Picks
      label="Must pass"
      about="Tasks or scenes in which no attempt may fail"
      value={form.mustPass ?? []}
      of={[]}
      change={(mustPass) => set({ mustPass: mustPass.length === 0 ? undefined : mustPass })}
    />
    <Picks
      label="Allowed faults"
      about="Faults that do not fail the test"
      value={form.allowFaults ?? []}
      of={of.faults.map((name) => ({ name, about: '' }))}
      change={(allowFaults) => set({ allowFaults: allowFaults.length === 0 ? undefined : allowFaults })}
    />
  </>
);
const Recipe: Part = ({ form, of, set }) => (
  <Gallery
    label="Recipe"
    value={form.recipe ?? ''}
    of={groupRecipes(of.recipes)}
    change={(recipe) => set({ recipe, settings: undefined })}
  />
);
const Hyperparameters: Part = ({ form, set }) => (
  <Settings recipe={form.recipe ?? ''} value={form.settings ?? {}} change={(settings) => set({ settings })} />
);
const Target: Part = ({ form, of, set }) => (
  <NamedField
    label="Agent"
    about="llm:MODEL, bot:URL, local/RUN@best, or a file"
    value={form.agents?.[0] ?? ''}
    of={of.agents}
    change={(agent) => set({ agents: agent === '' ? [] : [agent] })}
  />
);
const AttackWith: Part = ({ form, of, set }) => (
  <Chosen label="Attack" value={form.attack ?? ''} of={of.attacks} change={(attack) => set({ attack })} />
);
const Attacker: Part = ({ form, set }) => (
  <ModelField
    label="Attacker model"
    none="None: known attacks"
    value={form.attacker ?? ''}
    change={(attacker) => set({ attacker: attacker === '' ? undefined : attacker })}
  />
);
const Budget: Part = ({ form, set }) => (
  <NumberField label="Episodes" about="Upper limit" value={form.games} from={1} to={100_000} change={(games) => set({ games })} />
);
const Character: Part = ({ form, of, set }) => (
  <Chosen label="Character" value={form.persona ?? ''} of={of.personas} change={(persona) => set({ persona })} />
);
const Questions: Part = ({ form, set }) => (
  <NumberField
    label="Questions"
    about="Questions on what the character should not know, and the same number of ordinary ones"
    value={form.number}
    from={1}
    to={1000}
    change={(number) => set({ number })}
  />
);
const Scene: Part = ({ form, of, set }) => (
  <Chosen label="Scene" value={form.scene ?? ''} of={of.scenes} change={(scene) => set({ scene })} />
);
const PlayedBy: Part = ({ form, set }) => (
  <ModelField
    label="Model"
    none="Scripted replies"
    value={form.model ?? ''}
    change={(model) => set({ model: model === '' ? undefined : model })}
  />
);
const Improved: Part = ({ form, of, set }) => (
  <SelectField
    label="Agent to optimize"
    value={form.recipe ?? ''}
    about={
      of.improvements.find(({ name }) => name === form.recipe)?.about ?? 'Every prompt and setting of an agent, checked on held-out tasks'
    }
    of={[['', 'Your agent, on a suite'], ...names(of.improvements).map((name) => [name, name] as const)]}
    // Fields that only custom agents have are removed, too, because they are no longer visible.
    change={(recipe) => set(recipe === '' ? { recipe: undefined } : { recipe, agents: undefined, suite: undefined, proposer: undefined })}
  />
);
/** An agent of one's own: none of these where a recipe is improved. */
const Own: Part = ({ form, of, set }) =>
  (form.recipe ?? '') !== '' ? null : (
    <>
      <NamedField
        label="Agent"
        about="An agent file like ./agent.json, or llm:MODEL"
        value={form.agents?.[0] ?? ''}
        of={of.agents}
        change={(agent) => set({ agents: agent === '' ? [] : [agent] })}
      />
      <Suite {...{ form, of, set }} />
      <TextField
        label="Proposer"
        about="Source of the edits: random, a text file, or a model"
        value={form.proposer ?? ''}
        change={(proposer) => set({ proposer: proposer === '' ? undefined : proposer })}
      />
    </>
  );
const Engine: Part = ({ form, of, set }) => (
  <SelectField
    label="Engine"
    value={form.engine ?? ''}
    of={of.engines.map((name) => [name, name] as const)}
    change={(engine) => set({ engine })}
  />
);
const Calls: Part = ({ form, set }) => (
  <NumberField
    label="Calls"
    about="Limit for the engine; random edits and resampling get the same"
    value={form.calls}
    from={10}
    to={5000}
    change={(calls) => set({ calls })}
  />
);
const Population: Part = ({ form, of, set }) => (
  <Chosen
    label="Population"
    value={form.population ?? ''}
    of={of.populations.map((name) => ({ name, about: '' }))}
    change={(population) => set({ population })}
  />
);
const People: Part = ({ form, set }) => (
  <NumberField label="People" value={form.number} from={1} to={100_000} change={(number) => set({ number })} />
);
const Questionnaire: Part = ({ form, set }) => (
  <AreaField
    label="Questionnaire"
    about="as JSON"
    rows={10}
    value={form.questionnaire ?? ''}
    change={(questionnaire) => set({ questionnaire })}
  />
);

const Reuse: Part = ({ form, set }) => (
  <SwitchField
    label="Reuse stored episodes"
    about="Also for agents without a fixed version, such as bots"
    value={form.reuse ?? false}
    change={(reuse) => set({ reuse: reuse ? true : undefined })}
  />
);

const parts: Readonly<Record<LaunchKind, readonly Part[]>> = {
  run: [Environments, Agents, Against, Seeds, From, Name, Tasks, Reuse],
  eval: [Suite, Agents, Seeds, Reuse],
  test: [Suite, Agents, Seeds, Rules],
  arena: [Environments, Agents, Games, Tasks, Reuse],
  attack: [Target, AttackWith, Budget, From, Attacker],
  probe: [Character, Target, Questions, From, Reuse],
  scene: [Scene, PlayedBy, Seeds, From, Reuse],
  survey: [Population, People, Agents, From, Questionnaire, Reuse],
  train: [Recipe, Games, Seeds, From, Hyperparameters],
  improve: [Improved, Own, Engine, Calls, From],
};

export function Fields(props: FieldsProps) {
  return (
    <div className="fields">
      {parts[props.form.what].map((Field, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields of a kind never change their places.
        <Field key={`${props.form.what} ${i}`} {...props} />
      ))}
    </div>
  );
}

/** The user's agent on the user's suite where the folder has both, else a demonstration. */
function startOfImprove(of: LaunchChoices): Pick<LaunchForm, 'agents' | 'suite' | 'proposer' | 'recipe'> {
  const isFile = ({ name }: { readonly name: string }) => name.startsWith('./');
  const agent = of.agents.find(({ name }) => isFile({ name }) && name.endsWith('.json'));
  const suite = of.suites.find(isFile);
  if (agent === undefined || suite === undefined) return { recipe: of.improvements[0]?.name ?? '' };
  return { agents: [agent.name], suite: suite.name, proposer: 'random' };
}

/** A form to begin with, and what fits another kind. */
export function startOf(what: LaunchKind, of: LaunchChoices, before: LaunchForm | null): LaunchForm {
  const recipe = of.recipes.some(({ name }) => name === 'kuhn-tabular') ? 'kuhn-tabular' : of.recipes[0]?.name;
  // Who answers for the people of a survey plays no games.
  const players = before === null || before.what === 'survey' || before.what === 'attack' ? undefined : before.agents;
  const both = { environments: before?.environments ?? ['kuhn-poker'], agents: players ?? ['random', 'scripted'] };
  const usual: Readonly<Record<LaunchKind, Omit<LaunchForm, 'what'>>> = {
    run: { ...both, seeds: 20, from: 0 },
    eval: { agents: both.agents, suite: of.suites[0]?.name ?? '', seeds: 2 },
    test: { agents: players ?? ['scripted'], suite: of.suites[0]?.name ?? '', seeds: 2 },
    arena: { ...both, games: 400 },
    attack: { agents: [players?.[0] ?? 'llm:fake'], attack: of.attacks[0]?.name ?? '', games: 100, from: 1 },
    probe: { persona: of.personas[0]?.name ?? '', agents: [players?.[0] ?? 'scripted'], number: 40, from: 0 },
    scene: { scene: of.scenes[0]?.name ?? '', seeds: 1, from: 0 },
    survey: { agents: ['llm:fake'], population: of.populations[0] ?? '', number: 50, from: 0, questionnaire: of.questionnaire },
    train: { recipe: recipe ?? '', seeds: 1, from: 1 },
    improve: { ...startOfImprove(of), engine: of.engines[0] ?? '', calls: 300, from: 1 },
  };
  return { what, ...usual[what] };
}

/** What the server is asked; throws a sentence where the tasks are no JSON. */
export function requestOf({ tasks, ...form }: LaunchForm): LaunchRequest {
  const lines = (tasks ?? '').split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return form;
  return {
    ...form,
    tasks: lines.map((line) => {
      try {
        return JSON.parse(line) as NonNullable<LaunchRequest['tasks']>[number];
      } catch {
        throw new Error(`Not valid JSON: ${line.slice(0, 80)}`);
      }
    }),
  };
}
