import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseSearchQuery } from '../../../core/search-query/parse-query.ts'
import { type InboxFilter, inboxStates } from '../../contracts/inbox.ts'
import { fillInboxes, listening, planOf } from '../accounts/people.testkit.ts'
import { createPostgresAnnotations } from '../annotations/annotations.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { createPostgresInbox } from './inbox.ts'

usePostgres({ plain: true })

const page = { before: null, limit: 20 }

function queryOf(text: string): Pick<InboxFilter, 'query'> {
  const parsed = parseSearchQuery(text)
  assert.ok(parsed.kind === 'query', text)
  return { query: parsed.query }
}

describe('inbox query plans', () => {
  test('no list scans a whole table or sorts the inbox', async () => {
    const { pool, destroy } = await createDatabase()
    await fillInboxes(pool, [...Array.from({ length: 18 }, () => 'big'), 'small', 'other'], 30_000)
    const heard = listening(pool)
    const inbox = createPostgresInbox(heard)
    const annotations = createPostgresAnnotations({ pool: heard })
    const indexesOf = async (work: Promise<unknown>): Promise<string[]> => {
      await work
      const indexes: string[] = []
      for (const [sql, values] of heard.take()) {
        const { scans, sorted } = await planOf(pool, sql, values)
        const whole = scans.filter(({ index }) => index === null)
        assert.deepEqual(whole, [], sql)
        assert.ok(!sorted.includes('inbox'), `${sql} sorts rows of the inbox`)
        indexes.push(...scans.map(({ index }) => index!))
      }
      return indexes
    }
    const uses = async (index: string | RegExp, work: Promise<unknown>): Promise<void> => {
      const used = await indexesOf(work)
      const isMeant = (each: string) => (typeof index === 'string' ? each === index : index.test(each))
      assert.ok(used.some(isMeant), `${index} is not among ${used}`)
    }
    for (const owner of ['big', 'small']) {
      for (const state of inboxStates) {
        await uses(`inbox_${state}`, inbox.list(owner, { state }, page))
        await uses(`inbox_${state}`, inbox.list(owner, { state, urgency: 2, ...queryOf('after:1970') }, page))
        await indexesOf(inbox.list(owner, { state, profile: `${owner}-1`, urgency: 2 }, page))
        const column = state === 'all' ? 'shown' : state
        for (const profile of [{}, { profile: `${owner}-1` }])
          await uses(`inbox_pages_${column}`, inbox.pages(owner, { state, ...profile }, page))
        // Both indexes begin with the document, and here no document has many entries.
        await uses(/inbox_(page|document)$/, inbox.pages(owner, { state: 'all', ...queryOf('common') }, page))
        const ofPage = { state, page: { documentId: 256_000_512, entry: '' } }
        await uses(/inbox_(page|document)$/, inbox.list(owner, ofPage, page))
        await uses('inbox_words_pkey', inbox.list(owner, { state: 'all', ...queryOf('common') }, page))
      }
      await uses('inbox_profile', inbox.list(owner, { state: 'all', profile: `${owner}-1` }, page))
      await uses('inbox_pkey', inbox.arrivals(owner, { after: 20_000, limit: 9 }))
      await uses('inbox_document', inbox.documents(owner, page))
      await uses('inbox_document', inbox.documentsOf(owner, [1, 2, 3]))
      await uses('inbox_counts_pkey', inbox.counts(owner))
      await uses('inbox_page_counts_pkey', inbox.counts(owner))
      await uses('inbox_pkey', annotations.list({ after: 0, limit: 9, owner }))
      await uses('inbox_profile', annotations.list({ after: 0, limit: 9, owner, profile: `${owner}-1` }))
      await uses('annotations_document', annotations.last(`${owner}-1`, 5))
      await uses(
        'annotations_story',
        annotations.ofCluster({ owner, profile: `${owner}-1`, cluster: 5, documentId: 5 }),
      )
    }
    await uses('inbox_words_words', inbox.list('big', { state: 'all', ...queryOf('rare') }, page))
    await uses('inbox_words_words', inbox.list('big', { state: 'all', ...queryOf('nowhere') }, page))
    await uses('annotations_pkey', annotations.list({ after: 0, limit: 9 }))
    await destroy()
  })
})
