import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOne, withSystem } from '../../store/conformance/engine.testkit.ts'
import { goneOf, noteOf, pageOf } from '../../store/conformance/samples.testkit.ts'
import { sqliteEngine } from '../../store/sqlite/testkit/store.testkit.ts'
import { createLanding } from './processor.ts'

test(
  'follows the stored redirects of a source, and stops in redirect loops',
  withSystem(sqliteEngine, {}, async (system) => {
    const { documents, versions } = await openOne(system)
    const host = system.hostOf(0, 0)
    const at = (path: string): string => `http://${host}${path}`
    const redirect = { outcome: 'redirect', status: 302 } as const
    await documents.record([
      pageOf(host, '/stays', 'here'),
      pageOf(host, '/end', 'there'),
      noteOf(host, '/one', 'redirect', { ...redirect, location: at('/two') }),
      goneOf(host, '/two', { ...redirect, location: at('/end') }),
      noteOf(host, '/round', 'redirect', { ...redirect, location: at('/about') }),
      noteOf(host, '/about', 'redirect', { ...redirect, location: at('/round') }),
      noteOf(host, '/away', 'redirect', { ...redirect, location: 'ftp://elsewhere.example/' }),
    ])
    const keyOf = (url: string) => {
      const { host: own, fp } = pageOf(host, new URL(url).pathname, '')
      return url.startsWith('http:') ? { host: own, fp } : null
    }
    const landing = createLanding({ versions, keyOf })
    assert.equal(await landing(at('/stays')), null)
    assert.equal(await landing(at('/unknown')), null)
    assert.equal(await landing(at('/one')), at('/end'))
    assert.equal(await landing(at('/away')), 'ftp://elsewhere.example/')
    assert.ok([null, at('/about')].includes(await landing(at('/round'))))
  }),
)
