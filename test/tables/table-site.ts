import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { systemClock } from '../../src/core/clock.ts'
import { augmentFolder } from '../../src/services/augment/augment.ts'
import { newFolder } from '../site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'

/** A static site in a folder, served from there, with the tables that `augment` writes. */
export type TableSite = {
  site: HandlerSite
  origin: string
  folder: string
  write(path: string, text: string): void
  remove(path: string): void
  augment(): Promise<void>
  /** Requests for tables since the last call. */
  tablesAsked(): string[]
  /** Requests for anything else since the last call, without robots.txt and sitemaps. */
  pagesAsked(): string[]
  close(): Promise<void>
}

/** `answer` returns true if it has handled the request itself. */
export async function openTableSite(
  pages: Record<string, string>,
  answer: (path: string, response: ServerResponse) => boolean | Promise<boolean> = () => false,
  address = '127.0.0.1',
): Promise<TableSite> {
  const folder = newFolder()
  let seen = 0
  let seenTables = 0
  const site = await createHandlerSite(async (path, response) => {
    if (await answer(path, response)) return
    try {
      const body = readFileSync(join(folder, path.endsWith('/') ? `${path}index.html` : path))
      if (/\.T(?:OL|VI)$/.test(path)) response.setHeader('content-type', 'application/octet-stream')
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  }, address)
  const isTable = (path: string): boolean => /\.T(?:OL|VI)$/.test(path)
  const write = (path: string, text: string): void => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const [path, text] of Object.entries(pages)) write(path, text)
  return {
    ...{ site, origin: site.origin, folder, write },
    remove: (path) => rmSync(join(folder, path)),
    async augment() {
      await augmentFolder({ folder, base: null, check: false, clock: systemClock })
    },
    tablesAsked() {
      const asked = site.asked.slice(seenTables).filter(isTable)
      seenTables = site.asked.length
      return asked
    },
    pagesAsked() {
      const asked = site.asked.slice(seen).filter((path) => !isTable(path) && !/robots\.txt|sitemap/.test(path))
      seen = site.asked.length
      return asked
    },
    close: site.close,
  }
}

/** A page with links. */
export function page(title: string, links: readonly string[], more = ''): string {
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join(' ')
  return `<!doctype html><title>${title}</title><h1>${title}</h1><p>${anchors}</p>${more}`
}

/** Replaces the last line with a valid one, so that only the content of the table is false. */
export function sealed(table: string): string {
  const end = table.lastIndexOf('end ')
  const text = table.slice(0, end)
  return end < 0 ? table : `${text}${/^end \d+ /.exec(table.slice(end))![0]}sha256:${hash('sha256', text)}\n`
}
