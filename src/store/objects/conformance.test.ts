import { after, before, describe } from 'node:test'
import { collectionSuite } from '../conformance/collection-suite.testkit.ts'
import { documentsSuite } from '../conformance/documents-suite.testkit.ts'
import { objectsSuite } from '../conformance/objects-suite.testkit.ts'
import { usePostgres } from '../postgres/testkit/postgres.testkit.ts'
import { createPostgresEngine } from '../postgres/testkit/store.testkit.ts'
import { createFolderBodies, createS3Bodies, type OutsideBodies } from './testkit/outside-bodies.testkit.ts'

usePostgres()

/** The suites that depend on where bodies are stored, with every body outside the database. */
const places: readonly [name: string, open: () => OutsideBodies | Promise<OutsideBodies>][] = [
  ['cluster, bodies in a shared folder', createFolderBodies],
  ['cluster, bodies on S3', createS3Bodies],
]

for (const [name, open] of places)
  describe(name, () => {
    let bodies: OutsideBodies
    before(async () => {
      bodies = await open()
    })
    after(() => bodies.end())
    const engine = createPostgresEngine(name, () => bodies)
    for (const suite of [objectsSuite, documentsSuite, collectionSuite]) suite(engine)
  })
