/** @file Options that several commands have. Each is described once; a command adds what it uses the value for, and what it does without it. */

const shared = {
  output: ['-o, --output <path>', 'the output file'],
  seed: ['--seed <n>', 'the seed of everything random'],
  yes: ['--yes', 'do not ask for confirmation'],
  model: ['--model <model>', 'a model, such as ollama/NAME, gguf:PATH, or fake (answers at random)'],
  agent: ['--agent <agent>', 'an agent: a name, a file, or a kind such as llm:MODEL'],
  agents: ['--agents <list>', 'agents, separated by commas: names, files, or kinds such as llm:MODEL'],
  concurrency: ['--concurrency <n>', 'how many to run at once'],
  seat: ['--seat <seat>', 'a seat of the environment'],
  failUnder: ['--fail-under <share>', 'exit with 1 when the result is lower'],
  html: ['--html <file>', 'write an HTML page'],
  humans: ['--humans <file>', 'conversations of people to compare the simulated ones with (default: "test.humans" of ludus.config)'],
  cast: ['--seat <seat=agent>', 'an agent for one seat; --SEAT AGENT is short for it'],
  task: ['--task <json>', 'parameters of the environment'],
  run: ['--run <run>', 'a run, by name or ID'],
  environment: ['--environment <name>', 'an environment, by name or file'],
  judge: ['--judge <model>', 'the model that judges'],
  games: ['--games <n>', 'games to play'],
  retry: ['--retry', 'play again what failed'],
  number: ['-n, --number <n>', 'how many to make'],
  turns: ['--turns <n>', 'turns before a conversation ends'],
  where: ['--where <bound>', 'only those with this score, such as "return>=1"'],
  limit: ['--limit <n>', 'show or use at most this many, the newest first'],
  seeds: ['--seeds <n>', 'how many seeds'],
  speed: ['--speed <n>', 'events a second when watching'],
  against: ['--against <name>', 'the opponent or baseline'],
  resume: ['--resume <run>', 'continue a run that was stopped'],
  score: ['--score <name>', 'the score that decides'],
  suite: ['--suite <suite>', 'the suite it was played for, where that is a file'],
  rubric: ['--rubric <name>', 'what a judge looks at; needs --judge'],
  me: ['--me <seat>', 'the seat you take'],
  population: ['--population <name>', 'the population: a name, a document, or a table of people (.csv or .parquet)'],
  card: ['--card <file>', 'the trust card of the judge whose score decides'],
  mask: ['--mask <bound>', 'turns to read but not learn, e.g. "penalty>0"'],
  maskQuotes: ['--mask-quotes <bound>', 'the same, for the part of the answer that the score quotes'],
  redact: ['--redact [words]', 'remove emails, phone, card, and account numbers, and these words (comma-separated)'],
  user: ['--user <name>', 'the name of the person the character talks to: {{user}} in its card'],
  people: ['--people <n>', 'how many people'],
  grace: ['--grace <seconds>', 'seconds that running work may take after a stop'],
  port: ['--port <n>', 'the port to serve on; 0 takes any that is free'],
  host: ['--host <name>', 'the address to serve on; beyond this machine everything needs the token'],
  sessions: ['--sessions <n>', 'sessions at once'],
  idle: ['--idle <seconds>', 'seconds until an idle session is closed'],
  admin: ['--admin', 'let MCP clients list environments, run plans and score; these may spend money'],
  chance: ['--chance', 'sample at random instead of matching every share'],
  items: ['--items <n>', 'questions with a conflict, and as many without'],
  dryRun: ['--dry-run', 'print what would happen, and change nothing'],
  changes: ['--changes <n>', 'how many changes'],
  desk: ['--desk <desk>', 'a desk, by folder or file'],
  pack: ['--pack <file>', 'an experience pack'],
  engine: ['--engine <name>', 'a method of improvement'],
  set: ['--set <name=value>', 'change a setting; repeatable'],
  repeats: ['--repeats <n>', 'repetitions'],
  scenes: ['--scenes <file>', 'a JSON list of scenes: {"background", "motivation", "opening", "characters"}'],
} as const;

type SharedFlag = keyof typeof shared;

export const sharedFlags = Object.keys(shared) as readonly SharedFlag[];

/** The form and the description of a shared option. `more` is what this command adds to it: `(default: 1)`, or its own clause. */
export function flag(name: SharedFlag, more?: string): [form: string, description: string] {
  const [form, description] = shared[name];
  if (more === undefined) return [form, description];
  // A default or a condition adds to the shared words; anything else says more exactly what the flag means here.
  if (more.startsWith('(')) return [form, `${description} ${more}`];
  return [form, /^(?:with|or|of|in) /.test(more) ? `${description}; ${more}` : more];
}
