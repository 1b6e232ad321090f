import { createRandom, type Random } from '../../bench/origin/random.ts'
import { type Topic, topics, words } from './article-texts.ts'

export type Article = {
  id: number
  path: string
  topic: string
  headline: string
  paragraphs: string[]
}

export type DeskEvent = { kind: 'new' | 'corrected' | 'withdrawn'; article: Article }

export type NewsDesk = {
  /** Newest first. */
  articles(): readonly Article[]
  /** Whether there was an article at this path. */
  isWithdrawn(path: string): boolean
  /** Publishes, corrects or withdraws an article. */
  step(): DeskEvent
}

const FIRST_ARTICLES = 12
const MAX_ARTICLES = 40
const SENTENCES = 5
/** The order of events. */
const turns = ['new', 'corrected', 'new', 'withdrawn'] as const

/** The editors of a small newspaper: the same seed gives the same articles. */
export function createNewsDesk(seed: number): NewsDesk {
  const random = createRandom(seed)
  const withdrawn = new Set<string>()
  let articles: Article[] = []
  let lastId = 0
  let steps = 0

  function publish(): Article {
    const topic = topics[lastId % topics.length]!
    const article = writeArticle(++lastId, topic, random)
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
    step() {
      const kind = articles.length >= MAX_ARTICLES ? 'withdrawn' : turns[steps % turns.length]!
      steps++
      if (kind === 'new') return { kind, article: publish() }
      // Pick an older one, which readers have already seen.
      const article = articles[Math.floor(articles.length / 2) + random.below(Math.ceil(articles.length / 2))]!
      return { kind, article: kind === 'withdrawn' ? withdraw(article) : correct(article, random) }
    },
  }
}

function writeArticle(id: number, { name, headlines, sentences }: Topic, random: Random): Article {
  const values = drawValues(random)
  // In turn, so that two consecutive articles are never alike.
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
  }
}

function correct(article: Article, random: Random): Article {
  const figure = 2 + random.below(90)
  article.paragraphs[0] = article.paragraphs[0]!.replace(/\b\d+\b/, `${figure}`)
  article.paragraphs[3] = `Correction: an earlier version of this article had a wrong figure; it is ${figure}.`
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
