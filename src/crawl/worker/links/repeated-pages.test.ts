import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { noCheck, type QueuedRequest } from '../../../core/request.ts'
import { offerOf } from '../../../store/conformance/samples.testkit.ts'
import { createRepeatedPages } from './repeated-pages.ts'

const digestOf = (body: string): Buffer => createHash('sha256').update(body).digest()

function requestOf(path: string, parent: string, check = noCheck): QueuedRequest {
  return {
    ...offerOf('a.example', path, { parent: `http://a.example${parent}`, check }),
    hostId: 1,
    seq: 1,
    attempts: 0,
  }
}

test('follows any number of sibling copies of a page', () => {
  const { admits } = createRepeatedPages({ maxLinks: 10 })
  for (let n = 0; n < 1_000; n++) assert.ok(admits(requestOf(`/${n}/`, '/'), digestOf('x'), 100))
})

test('follows any number of copies of a whole tree', () => {
  const { admits } = createRepeatedPages({ maxLinks: 10 })
  for (let n = 0; n < 100; n++) {
    assert.ok(admits(requestOf(`/${n}/`, '/'), digestOf('home'), 100))
    assert.ok(admits(requestOf(`/${n}/a/`, `/${n}/`), digestOf('a'), 100))
    assert.ok(admits(requestOf(`/${n}/a/b/`, `/${n}/a/`), digestOf('b'), 100))
  }
})

/** Walks down a tree until the links of a page are not followed any more. */
function walk(admits: ReturnType<typeof createRepeatedPages>['admits'], bodies: string[], check = noCheck): number {
  let parent = '/'
  for (let n = 0; n < 10_000; n++) {
    const path = `${parent}${n}/`
    if (!admits(requestOf(path, parent, check), digestOf(bodies[n % bodies.length]!), 4)) return n
    parent = path
  }
  throw new assert.AssertionError({ message: 'the tree had no end' })
}

test('stops in an endless tree of one page or of a few that alternate', () => {
  assert.equal(walk(createRepeatedPages({ maxLinks: 40 }).admits, ['x']), 11)
  assert.equal(walk(createRepeatedPages({ maxLinks: 40 }).admits, ['x', 'y', 'z']), 33)
})

test('counts each check of a watch separately', () => {
  const { admits } = createRepeatedPages({ maxLinks: 40 })
  for (let round = 1; round < 5; round++) assert.equal(walk(admits, ['x'], { ...noCheck, watch: 3, round }), 11)
})

test('remembers only the latest pages and counts, as many as its capacity', () => {
  const { admits } = createRepeatedPages({ maxLinks: 1, capacity: 100 })
  const isFollowed = (path: string, parent: string, body: number) =>
    admits(requestOf(path, parent), digestOf(`${body}`), 1)
  for (let n = 0; n <= 100; n++) {
    assert.ok(isFollowed(`/${n}/`, '/', n))
    assert.ok(isFollowed(`/${n}/a/`, `/${n}/`, n))
    assert.ok(!isFollowed(`/${n}/b/`, `/${n}/`, n))
  }
  assert.ok(!isFollowed('/51/b/', '/51/', 51), 'the page above is remembered')
  assert.ok(isFollowed('/50/b/', '/50/', 50), 'the page above is forgotten')
  assert.ok(isFollowed('/1/', '/', 1))
  assert.ok(!isFollowed('/1/b/', '/1/', 1), 'the count is remembered')
  assert.ok(isFollowed('/0/', '/', 0))
  assert.ok(isFollowed('/0/b/', '/0/', 0), 'the count is forgotten')
})
