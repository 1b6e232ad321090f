import { createRandom, type Random } from '../../bench/origin/random.ts'
import { type Topic, topics, words } from './stories.ts'

export type Article = {
  id: number
  path: string
  topic: string
  headline: string
  paragraphs: string[]
  /** Steps of the desk at which it appeared and was changed last. */
  since: number
  corrections: number
}

export type DeskEvent = { kind: 'new' | 'corrected' | 'withdrawn'; article: Article }

export type NewsDesk = {
  /** The newest first. */
  articles(): readonly Article[]
  /** Whether there was an article that is there no more. */
  isWithdrawn(path: string): boolean
  /** The next thing happens: mostly a new article, at times a correction, or one goes. */
  step(): DeskEvent
  steps(): number
}

const FIRST_ARTICLES = 12
const MAX_ARTICLES = 40
const SENTENCES = 5
/** What happens in turn. */
const turns = ['new', 'corrected', 'new', 'withdrawn'] as const

/** The desk of a small paper: the same seed gives the same news. */
export function createNewsDesk(seed: number): NewsDesk {
  const random = createRandom(seed)
  const withdrawn = new Set<string>()
  let articles: Article[] = []
  let lastId = 0
  let steps = 0

  function publish(): Article {
    const topic = topics[lastId % topics.length]!
    const article = writeArticle(++lastId, topic, random, steps)
    articles = [article, ...articles]
    return article
  }

  function withdraw(article: Article): Article {
    withdrawn.add(article.path)
    articles = articles.filter((each) => each !== article)
    return article
  }

  for (let n = 0; n < FIRST_ARTICLES; n++) publish()
  return {
    articles: () => articles,
    isWithdrawn: (path) => withdrawn.has(path),
    steps: () => steps,
    step() {
      const kind = articles.length >= MAX_ARTICLES ? 'withdrawn' : turns[steps % turns.length]!
      steps++
      if (kind === 'new') return { kind, article: publish() }
      // Among the older ones, so that a reader has met it before.
      const article = articles[Math.floor(articles.length / 2) + random.below(Math.ceil(articles.length / 2))]!
      return { kind, article: kind === 'withdrawn' ? withdraw(article) : correct(article, random) }
    },
  }
}

function writeArticle(id: number, { name, headlines, sentences }: Topic, random: Random, since: number): Article {
  const values = drawValues(random)
  // One after the other, so that two in a row are never of the same kind.
  const { headline, lead } = headlines[Math.floor(id / topics.length) % headlines.length]!
  const left = [...sentences]
  const chosen = Array.from({ length: SENTENCES }, () => left.splice(random.below(left.length), 1)[0]!)
  const title = fill(headline, values)
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return {
    id,
    path: `/${name}/${id}-${slug}`,
    topic: name,
    headline: title,
    paragraphs: [lead, chosen.slice(0, 2).join(' '), chosen.slice(2).join(' ')].map((each) => fill(each, values)),
    since,
    corrections: 0,
  }
}

function correct(article: Article, random: Random): Article {
  article.corrections++
  const stat = 2 + random.below(90)
  article.paragraphs[0] = article.paragraphs[0]!.replace(/\b\d+\b/, `${stat}`)
  article.paragraphs[3] = `Correction: an earlier version of this article had a wrong figure; it is ${stat}.`
  return article
}

function drawValues(random: Random): Record<string, string> {
  const drawn = Object.entries(words).map(([name, choices]) => [name, choices[random.below(choices.length)]!] as const)
  return {
    ...Object.fromEntries(drawn),
    years: `${2 + random.below(9)}`,
    count: `${12 + random.below(80)}`,
    km: `${100 + random.below(800)}`,
  }
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name)
}
