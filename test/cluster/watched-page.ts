import { responseRecord } from '../../src/archive/warc/record-writer.ts'
import { bodyDigest, digestText } from '../../src/core/fingerprint.ts'
import { noCheck } from '../../src/core/request.ts'
import { pageOf } from '../../src/store/conformance/samples.testkit.ts'

/** A page with this text, as a shard hands it to the store that has visited it for a watch. */
export function watchedPage(host: string, path: string, text: string, watch: number) {
  const body = Buffer.from(`<html><body><p>${text}</p></body></html>`)
  const digest = bodyDigest(body)
  const url = `http://${host}${path}`
  const rawHeaders = ['content-type', 'text/html']
  const common = { uri: url, date: 1_000, address: '192.0.2.1', statusLine: 'HTTP/1.1 200 OK', rawHeaders }
  const record = responseRecord({ ...common, body, payloadDigest: digestText(digest), truncated: null })
  const check = { ...noCheck, watch, round: 100 }
  return pageOf(host, path, text, { digest, size: body.length, check, run: watch, render: () => record.parts })
}
