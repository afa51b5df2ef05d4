/** @file A character's identity: names, form fields, temperament, and life. */

import type { Persona } from '@ludus-agents/servers/internal/studio/api';
import { ListField, NumberField, put, SelectField, TextField } from '../parts/form.tsx';

export interface PartProps {
  readonly persona: Persona;
  readonly change: (persona: Persona) => void;
}

const traits = [
  ['O', 'Openness'],
  ['C', 'Conscientiousness'],
  ['E', 'Extraversion'],
  ['A', 'Agreeableness'],
  ['N', 'Neuroticism'],
] as const;

const morals = [
  ['', 'unspecified'],
  ['1', 'a paragon'],
  ['2', 'flawed but good'],
  ['3', 'looks after number one'],
  ['4', 'a villain'],
] as const;

export function Identity({ persona, change }: PartProps) {
  const { social, personal, context } = persona.identity;
  const identity = (part: Partial<Persona['identity']>) => change({ ...persona, identity: { ...persona.identity, ...part } });
  const job = social.occupation;
  return (
    <>
      <div className="fields">
        <TextField label="Nickname" value={persona.nickname ?? ''} change={(nickname) => change(put(persona, 'nickname', nickname))} />
        <TextField label="Pronouns" value={persona.pronouns ?? ''} change={(pronouns) => change(put(persona, 'pronouns', pronouns))} />
        <ListField label="Tags" by="comma" value={persona.tags} change={(tags) => change({ ...persona, tags })} />
        <NumberField
          label="Age"
          value={social.age}
          from={0}
          to={1_000_000}
          change={(age) => identity({ social: put(social, 'age', age) })}
        />
        <TextField label="Gender" value={social.gender ?? ''} change={(gender) => identity({ social: put(social, 'gender', gender) })} />
        <TextField
          label="Work"
          value={job?.title ?? ''}
          change={(title) => identity({ social: put(social, 'occupation', title === '' ? undefined : { ...job, title }) })}
        />
        <TextField
          label="Home"
          value={social.residence ?? ''}
          change={(residence) => identity({ social: put(social, 'residence', residence) })}
        />
      </div>
      <Temper persona={persona} change={change} />
      <div className="fields">
        <SelectField
          label="Moral level"
          value={String(personal.moral.level ?? '') as (typeof morals)[number][0]}
          of={morals}
          change={(level) =>
            identity({
              personal: { ...personal, moral: put(personal.moral, 'level', level === '' ? undefined : (Number(level) as 1 | 2 | 3 | 4)) },
            })
          }
        />
        <TextField
          label="Decision style"
          value={personal.decisionStyle ?? ''}
          change={(style) => identity({ personal: put(personal, 'decisionStyle', style) })}
        />
        <ListField label="Likes" value={context.likes} change={(likes) => identity({ context: { ...context, likes } })} />
        <ListField label="Dislikes" value={context.dislikes} change={(dislikes) => identity({ context: { ...context, dislikes } })} />
        <ListField label="Skills" value={context.skills} change={(skills) => identity({ context: { ...context, skills } })} />
        <ListField label="History" value={context.history} change={(history) => identity({ context: { ...context, history } })} />
      </div>
    </>
  );
}

/** The Big Five as sliders; one that is not set says nothing. */
function Temper({ persona, change }: PartProps) {
  const { personal } = persona.identity;
  const levels = personal.bigFive ?? {};
  const set = (trait: (typeof traits)[number][0], score: number | undefined) => {
    const bigFive = put(levels, trait, score === undefined ? undefined : { ...levels[trait], score });
    const next = put(personal, 'bigFive', Object.keys(bigFive).length === 0 ? undefined : bigFive);
    change({ ...persona, identity: { ...persona.identity, personal: next } });
  };
  return (
    <fieldset className="temper">
      <legend>Personality</legend>
      {traits.map(([trait, description]) => {
        const score = levels[trait]?.score;
        return (
          <label key={trait}>
            <span>{description}</span>
            <input
              type="range"
              className={score === undefined ? 'unset' : undefined}
              min={0}
              max={100}
              value={score ?? 50}
              aria-valuetext={score === undefined ? 'not set' : String(score)}
              onChange={(event) => set(trait, Number(event.target.value))}
            />
            <output>{score ?? 'not set'}</output>
            <button
              type="button"
              className="plain small"
              disabled={score === undefined}
              onClick={() => set(trait, undefined)}
              aria-label={`Clear ${description}`}
            >
              Clear
            </button>
          </label>
        );
      })}
    </fieldset>
  );
}
