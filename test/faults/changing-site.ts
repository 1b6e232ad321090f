import { createHash } from 'node:crypto'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'

/** A site whose pages get new texts between crawls; every fifth has the text of another, so that bodies are shared. */
export type ChangingSite = {
  origin: string
  pages: number
  change(page: number): void
  /** SHA-256 of what is served now, by URL. */
  digests(): Map<string, string>
  close(): Promise<void>
}

const LINKS = 4

export async function createChangingSite(pages: number, pageBytes: number): Promise<ChangingSite> {
  const editions = new Array<number>(pages).fill(1)
  /** Same text, same links: same body. */
  const sourceOf = (page: number): number => (page % 5 === 4 && page >= 5 ? page - 5 : page)

  function render(page: number): string {
    const source = sourceOf(page)
    const links = Array.from({ length: LINKS }, (_, n) => (source * LINKS + n + 1) % pages)
    const anchors = [...links, (source + 5) % pages].map((to) => `<a href="/${to}">${to}</a>`).join(' ')
    return `<title>${source}</title>${anchors}<p>${words(`${source} ${editions[source]}`, pageBytes)}</p>`
  }

  const site: HandlerSite = await createHandlerSite((path, response) => {
    const page = path === '/' ? 0 : Number(/^\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
    if (page < pages) response.end(render(page))
    else response.writeHead(404).end()
  })
  return {
    origin: site.origin,
    pages,
    change: (page) => void editions[page]!++,
    digests() {
      const digests = new Map<string, string>()
      for (let page = 1; page < pages; page++) {
        digests.set(`${site.origin}/${page}`, createHash('sha256').update(render(page)).digest('hex'))
      }
      return digests
    },
    close: site.close,
  }
}

/** Text that does not compress to nothing and is the same for the same seed. */
function words(seed: string, bytes: number): string {
  let text = ''
  for (let n = 0; text.length < bytes; n++)
    text += ` ${createHash('sha256').update(`${seed} ${n}`).digest('base64url')}`
  return text
}
