import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { FetchRequest, FetchResponse } from '../../crawl/fetch/fetch-result.ts'
import type { Reach } from '../sources/trying/reach.ts'
import { createHubListening, offerOf } from './hub-listening.ts'

const url = 'https://a.example/blog/feed'
const atom = (links: string) =>
  `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><id>urn:f</id>${links}</feed>`
const page = (body: string, link: string[] = []) => ({
  ...{ url, body: Buffer.from(body), contentType: 'application/atom+xml', isCut: false },
  rawHeaders: link.flatMap((each) => ['Link', each]),
})

describe('hubs of a page', () => {
  test('are found in its headers or in the feed itself', () => {
    assert.deepEqual(offerOf(page(atom('<link rel="hub" href="https://h.example/"/><link rel="self" href="/f"/>'))), {
      hubs: ['https://h.example/'],
      self: 'https://a.example/f',
    })
    const links = [
      '<https://one.example/?a=1,2>; rel="hub"; title="a, b", </me>; rel=self',
      '<two>; REL="next HUB", <mailto:a@b.example>; rel=hub, <https://no.example/>; title="rel=hub"',
    ]
    assert.deepEqual(offerOf(page(atom('<link rel="self" href="/f"/>'), links)), {
      hubs: ['https://one.example/?a=1,2', 'https://a.example/blog/two'],
      self: 'https://a.example/me',
    })
    assert.deepEqual(offerOf(page('<p>No feed</p>')), { hubs: [], self: url })
  })
})

/** A fake feed and hub, and the forms the hub received. */
function open({
  publicUrl = 'https://e.example/',
  links = '<link rel="hub" href="https://h.example/"/>',
  status = 202,
} = {}) {
  const forms: URLSearchParams[] = []
  const response = { kind: 'response', statusLine: '', address: '', startedAt: 0, firstByteMs: 0, totalMs: 0 } as const
  const rest = { ...response, wireBytes: 0, truncated: null }
  const fetch = async ({ body }: FetchRequest): Promise<FetchResponse> => {
    if (body === undefined)
      return {
        ...rest,
        status: 200,
        rawHeaders: ['content-type', 'application/atom+xml'],
        body: Buffer.from(atom(links)),
      }
    forms.push(new URLSearchParams(body.toString()))
    return { ...rest, status, rawHeaders: [], body: Buffer.alloc(0) }
  }
  const reach = { fetch, robots: null, limits: { maxBodyBytes: 10_000 }, async close() {} } as unknown as Reach
  const hubs = createHubListening({
    ...{ publicUrl, clock: createManualClock(), isServing: Promise.resolve(), openReach: async () => reach },
  })
  const call = (form: URLSearchParams, values: Record<string, string>) =>
    hubs.webSub.verify(
      form.get('hub.callback')!.slice('https://e.example/websub/'.length),
      new Map(Object.entries({ 'hub.topic': url, 'hub.challenge': 'x', 'hub.lease_seconds': '1000', ...values })),
    )
  return { hubs, forms, call }
}

const heardNothing = { onNews() {}, onEnd() {} }
const place = { url, secret: null }
const formOf = async (forms: readonly URLSearchParams[]) => {
  while (forms.length === 0) await new Promise(setImmediate)
  return forms[0]!
}

describe('a hub subscription', () => {
  test('starts once the hub agrees, is shared by all listeners, and ends with the last one', async () => {
    const { hubs, forms, call } = open()
    const both = [hubs.listen(place, heardNothing), hubs.listen(place, heardNothing)]
    const form = await formOf(forms)
    assert.deepEqual([form.get('hub.mode'), form.get('hub.topic')], ['subscribe', url])
    assert.equal(call(form, { 'hub.mode': 'subscribe' }), 'x')
    const [one, other] = await Promise.all(both)
    await one!.close()
    assert.equal(forms.length, 1)
    await other!.close()
    assert.deepEqual(
      forms.map((each) => each.get('hub.mode')),
      ['subscribe', 'unsubscribe'],
    )
    await hubs.close()
  })

  test('is not available without a hub or a public URL, or if the hub refuses', async () => {
    const unable = (error: unknown) => isAppError(error, 'not-available')
    await assert.rejects(open({ links: '' }).hubs.listen(place, heardNothing), unable)
    await assert.rejects(open({ publicUrl: '' }).hubs.listen(place, heardNothing), unable)
    const { hubs, forms, call } = open()
    const refused = assert.rejects(hubs.listen(place, heardNothing), unable)
    assert.equal(call(await formOf(forms), { 'hub.mode': 'denied' }), '')
    await refused
    await hubs.close()
    const broken = open({ status: 500 })
    await assert.rejects(broken.hubs.listen(place, heardNothing), /the hub answered with 500/)
    await broken.hubs.close()
  })
})
