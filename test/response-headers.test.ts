import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type CrawlRun, runCrawl } from './site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from './site/handler-site.ts'

/** Pages whose Content-Type is damaged, repeated or says nothing. Browsers show all of them as HTML. */
const types: Record<string, string | string[]> = {
  repeated: 'text/html, text/html; charset=utf-8',
  joined: 'text/html,text/html',
  twice: ['text/plain', 'text/html'],
  nothing: 'charset=utf-8',
  half: 'html',
  anything: '*/*',
  unknown: 'unknown/unknown',
  damaged: 'text/html charset=utf-8',
}

/** Types of XML under which a page can be served. */
const xmlTypes = ['application/xml', 'text/xml; charset=utf-8']

/** Types of feeds that say they are something else, or nothing. */
const feedTypes = ['text/html; charset=utf-8', 'rss', '*/*']

/** Headers that lead to another page, by its path. */
const leading: Record<string, [name: string, value: string]> = {
  refreshed: ['refresh', '0; url=/refreshed'],
  'refreshed-later': ['Refresh', "30;URL='/refreshed-later'"],
  'caf%E9': ['location', '/caf\xe9'],
  'caf%C3%A9': ['location', '/caf\xc3\xa9'],
}

describe('headers of responses', () => {
  let site: HandlerSite
  let run: CrawlRun

  before(async () => {
    site = await createHandlerSite((path, response) => {
      const name = path.slice(1)
      const [kind, number] = name.split('/')
      if (path === '/robots.txt') return void response.writeHead(404).end()
      if (path === '/') {
        const paths = [
          ...feedTypes.map((_, at) => `feed/${at}`),
          ...xmlTypes.map((_, at) => `xml/${at}`),
          ...Object.keys(types).map((type) => `type/${type}`),
          ...Object.keys(leading).map((_, at) => `leading/${at}`),
        ]
        return void response.end(`<title>start</title>${paths.map((each) => `<a href="/${each}">x</a>`).join('')}`)
      }
      if (kind === 'xml') {
        response.setHeader('content-type', xmlTypes[Number(number)]!)
        const body = `<script src="/x.js"/><a href="/below/${name}">x</a>`
        return void response.end(`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${body}</html>`)
      }
      if (kind === 'feed') {
        response.setHeader('content-type', feedTypes[Number(number)]!)
        const item = `<item><title>ü</title><link>/below/${name}</link></item>`
        return void response.end(`<?xml version="1.0"?><rss><channel><title>t</title>${item}</channel></rss>`)
      }
      if (kind === 'type') response.setHeader('content-type', types[number!]!)
      const header = kind === 'leading' ? Object.values(leading)[Number(number)] : undefined
      if (header !== undefined) response.setHeader(...header)
      if (header?.[0] === 'location') response.statusCode = 302
      // As bytes: with a text, the runtime would write the header in its encoding.
      response.end(Buffer.from(`<title>${name}</title><a href="/below/${name}">x</a>`))
    })
    run = await runCrawl([`${site.origin}/`])
  })
  after(() => site.close())

  for (const type of Object.keys(types)) {
    test(`links of a page are followed although its type is ${type}`, () => {
      assert.ok(site.asked.includes(`/below/type/${type}`))
    })
  }

  for (const [at, type] of xmlTypes.entries()) {
    test(`links of a page in XHTML are followed although its type is ${type}`, () => {
      assert.ok(site.asked.includes(`/below/xml/${at}`))
    })
  }

  for (const [at, type] of feedTypes.entries()) {
    test(`entries of a feed are followed although its type is ${type}`, () => {
      assert.ok(site.asked.includes(`/below/feed/${at}`))
    })
  }

  for (const [target, [name, value]] of Object.entries(leading)) {
    test(`${name}: ${value} leads to another page`, () => {
      assert.ok(site.asked.includes(`/${target}`))
      assert.equal(run.result.failed, 0)
    })
  }
})
