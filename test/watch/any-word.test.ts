import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf, until } from './up-run.ts'
import { withWatching } from './watching.ts'

const ann = 'ann@example.org'

test('names of Object.prototype members such as "constructor" match as keywords and in expressions', async () => {
  const words = 'The constructor calls toString, valueOf and hasOwnProperty of __proto__.'
  const pages: Record<string, ChangingPage> = { '/': { words }, '/plain': { words: 'Rain.' } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, end, annotations, countTasks }) => {
    const sources = [sourceOf(`${news.origin}/`), sourceOf(`${news.origin}/plain`)]
    const expressions = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf']
    await put(
      profileOf('stems', ann, sources, { constructors: 1 }, { stemming: 'en' }),
      ...expressions.map((expression, n) => profileOf(`expression ${n}`, ann, sources, {}, { expression })),
    )
    begin()
    await until(
      'every page to be matched',
      async () => (await annotations()).length >= 6 && (await countTasks()) === 0,
      120_000,
    )
    await end()
    const found = (await annotations()).map(({ profile, url }) => `${profile} ${new URL(url).pathname}`).sort()
    assert.deepEqual(found, [
      'expression 0 /',
      'expression 1 /',
      'expression 2 /',
      'expression 3 /',
      'expression 4 /',
      'stems /',
    ])
  })
})
