import { startS3Server } from '../src/store/objects/testkit/s3-server.testkit.ts'

/** An S3 server for `bodies.ts`; any message stops it. */
const server = await startS3Server()
process.send!(server.settings)
process.once('message', async () => {
  await server.end()
  process.disconnect()
})
