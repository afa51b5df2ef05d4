/** @file Tasks in the wiki. */

import { answerFact, cannot, done, follow, followField, number, press, type SiteTemplate, search, typeIn, words } from '../template.ts';
import { type Article, currentFacts, type WikiData, withArticle, withVersion } from '../wiki.ts';

const find = [...search('Search articles', 'article'), followField('article')];
const articlesOf = ({ articles }: WikiData, fits: (article: Article) => boolean = () => true): [string, Article][] =>
  Object.entries(articles).filter(([, article]) => fits(article));

const ask: SiteTemplate = {
  id: 'wiki-fact',
  site: 'wiki',
  draw(data: WikiData, dice) {
    const [article, otherArticle] = dice.pick(articlesOf(data));
    const [fact, value] = dice.pick(Object.entries(currentFacts(otherArticle)));
    return {
      goal: `What does the wiki give as "${fact}" of ${article}?`,
      fields: { article, fact },
      answer: /^\d+$/.test(value) ? number(Number(value)) : words(value),
    };
  },
  plan: [...find, (seenPage, { fact }) => answerFact(fact)(seenPage, {}, '')],
};

const hop: SiteTemplate = {
  id: 'wiki-hop',
  site: 'wiki',
  draw(data: WikiData, dice) {
    const [article, town] = dice.pick(articlesOf(data, (article) => article.kind === 'town'));
    const isMayor = dice.int(2) === 0;
    const facts = currentFacts(data.articles[currentFacts(town)[isMayor ? 'Mayor' : 'River']]);
    const value = Number(isMayor ? facts['Born'] : facts['Length in km']);
    return isMayor
      ? {
          goal: `In which year was the mayor of ${article} born, by the wiki?`,
          fields: { article, over: 'Mayor', fact: 'Born' },
          answer: number(value),
        }
      : {
          goal: `How long is the river at ${article} in km, by the wiki?`,
          fields: { article, over: 'River', fact: 'Length in km' },
          answer: number(value),
        };
  },
  plan: [
    ...find,
    (seenPage, { over }) => seenPage.click(seenPage.fact(over) ?? '', 'link'),
    (seenPage, { fact }) => answerFact(fact)(seenPage, {}, ''),
  ],
};

const edit: SiteTemplate = {
  id: 'wiki-edit',
  site: 'wiki',
  impossible: true,
  draw(data: WikiData, dice, { possible }) {
    const [article, otherArticle] = dice.pick(articlesOf(data, (each) => each.protected !== possible));
    const facts = currentFacts(otherArticle);
    const fact = Object.keys(facts)[0];
    const value = String(Number(facts[fact]) + 1 + dice.int(9));
    const goal = `Change "${fact}" of ${article} in the wiki to ${value}.`;
    const fields = { article, fact, value };
    if (!possible) return { goal, fields, reason: 'locked' };
    return { goal, fields, want: { articles: withVersion(data.articles, article, { ...facts, [fact]: value }) } };
  },
  plan: [
    ...find,
    follow('Edit'),
    (seenPage, { fact, value }) => seenPage.type(fact, value) ?? cannot('locked'),
    press('Save article'),
    done,
  ],
};

const create: SiteTemplate = {
  id: 'wiki-create',
  site: 'wiki',
  draw(data: WikiData, dice) {
    const name = `${dice.pick(['Iris', 'Jon', 'Kay', 'Lou'])} ${dice.pick(['Mason', 'North', 'Olsen', 'Price'])}`;
    const [born, job] = [String(1900 + dice.int(90)), dice.pick(['painter', 'baker', 'judge'])];
    const [place] = dice.pick(articlesOf(data, (article) => article.kind === 'town'));
    return {
      goal: `Create an article in the wiki about ${name}, born ${born}, occupation ${job}, birthplace ${place}.`,
      fields: { name, born, job, place },
      want: { articles: withArticle(data.articles, name, { Born: born, Occupation: job, Birthplace: place }) },
    };
  },
  plan: [
    follow('New article'),
    typeIn('Name of the person', 'name'),
    typeIn('Born', 'born'),
    typeIn('Occupation', 'job'),
    typeIn('Birthplace', 'place'),
    press('Create article'),
    done,
  ],
};

const restore: SiteTemplate = {
  id: 'wiki-restore',
  site: 'wiki',
  heldOut: true,
  draw(data: WikiData, dice) {
    const older = articlesOf(data, (article) => !article.protected && article.versions.length > 1);
    // If no article happens to have an older version, one is edited instead.
    if (older.length === 0) return edit.draw(data, dice, { possible: true, harmful: false });
    const [article, otherArticle] = dice.pick(older);
    return {
      goal: `Restore version 1 of the article ${article} in the wiki.`,
      fields: { article },
      want: { articles: withVersion(data.articles, article, otherArticle.versions[0].facts) },
    };
  },
  plan: [
    ...find,
    (seenPage, { value }) => seenPage.click(value === undefined ? 'History' : 'Edit', 'link'),
    (seenPage, { fact, value }) => (value === undefined ? seenPage.click('Restore version 1', 'button') : seenPage.type(fact, value)),
    (seenPage, { value }) => (value === undefined ? '[done]' : seenPage.click('Save article', 'button')),
    done,
  ],
};

export const wikiTemplates: readonly SiteTemplate[] = [ask, hop, edit, create, restore];
