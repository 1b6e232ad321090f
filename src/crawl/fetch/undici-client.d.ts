/**
 * The package's main module loads everything (caches, mocks, web sockets): 14 MB and 130 ms for each thread that only
 * needs the client. The version is pinned, and the tests of the fetcher fail if the file moves.
 */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export default Client
}
