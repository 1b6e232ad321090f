import type { Random } from '../../bench/origin/random.ts'
import { bodyDigest } from '../../src/core/url/fingerprint.ts'
import { createHandlerSite, type Handler, type HandlerSite } from '../site/handler-site.ts'

/** One state of a page: the edition identifies it, the words decide which profiles match. */
export type Edition = { edition: number; words: readonly string[] }

/** A site on two hosts whose pages never repeat an earlier text; sometimes one is away for a while. */
export type NewsSite = Pick<HandlerSite, 'origin' | 'close'> & {
  paths: readonly string[]
  /** Changes a random page. */
  change(): void
  /** Null if the page is away. */
  now(path: string): Edition | null
  /** The edition with this body; null if no page ever had it. */
  editionOf(digest: Buffer): Edition | null
  pageRequests(): number
}

/** No page links to `/alone/` and `/wide/`: they are separate sources. Paths below `/far/` are on the other host. */
const links: Record<string, readonly string[]> = {
  '/': ['/a/', '/b/', '/c'],
  '/a/': ['/a/1', '/a/2'],
  '/b/': ['/b/1', '/b/2', '/b/3'],
  '/alone/': ['/alone/1', '/alone/2'],
  '/wide/': ['/far/', '/far/1', '/wide/1'],
  '/far/': ['/far/2', '/wide/2'],
}

export const hopsFromFront: Record<string, number> = {
  '/': 0,
  '/a/': 1,
  '/b/': 1,
  '/c': 1,
  '/a/1': 2,
  '/a/2': 2,
  '/b/1': 2,
  '/b/2': 2,
  '/b/3': 2,
}

const otherPaths = ['/alone/', '/alone/1', '/alone/2', '/wide/', '/wide/1', '/wide/2', '/far/', '/far/1', '/far/2']

const vocabulary = ['java', 'research', 'ibm', 'football', 'weather']

export async function createNewsSite(random: Random): Promise<NewsSite> {
  const paths = [...Object.keys(hopsFromFront), ...otherPaths]
  const editions = new Map<string, Edition & { isAway: boolean; body: string }>()
  const byDigest = new Map<string, Edition>()
  let requests = 0

  function drawWords(): string[] {
    return vocabulary.filter(() => random.below(3) === 0)
  }

  const answer: Handler = (path, response) => {
    const page = editions.get(path)
    if (page !== undefined) requests++
    if (page === undefined || page.isAway) return void response.writeHead(404).end()
    response.end(page.body)
  }
  const near = await createHandlerSite(answer)
  const far = await createHandlerSite(answer, '127.0.0.2')
  const originOf = (path: string): string => (path.startsWith('/far/') ? far : near).origin

  function publish(path: string, edition: number, isAway: boolean): void {
    const words = drawWords()
    const anchors = (links[path] ?? []).map((link) => `<a href="${originOf(link)}${link}">${link}</a>`).join(' ')
    // A price counts as news at every check, however often it changes.
    const body = `<title>Page ${path}</title><p>edition ${edition} for USD ${edition}: ${words.join(' ')} end</p>${anchors}`
    editions.set(path, { edition, words, isAway, body })
    byDigest.set(bodyDigest(Buffer.from(body)).toString('hex'), { edition, words })
  }
  for (const path of paths) publish(path, 1, false)

  return {
    origin: near.origin,
    async close() {
      await near.close()
      await far.close()
    },
    paths,
    change() {
      const path = random.pick(paths)
      const { edition, isAway } = editions.get(path)!
      // Pages with links stay, so that their targets remain reachable.
      const mayLeave = links[path] === undefined && !isAway && random.below(5) === 0
      publish(path, edition + 1, mayLeave)
    },
    now(path) {
      const page = editions.get(path)!
      return page.isAway ? null : page
    },
    editionOf: (digest) => byDigest.get(digest.toString('hex')) ?? null,
    pageRequests: () => requests,
  }
}

/** Parses a stored body, relying only on the format in which it was served. */
export function readEdition(body: string): Edition | null {
  const found = /<p>edition (\d+) for USD \d+: ([a-z ]*) end<\/p>/.exec(body)
  return found === null
    ? null
    : { edition: Number(found[1]), words: found[2]!.split(' ').filter((word) => word !== '') }
}
