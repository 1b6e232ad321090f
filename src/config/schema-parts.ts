import { bytes, duration, integer, type Setting } from './setting.ts'

const files = 'a list of paths that start with ./ (.ts, .mts, .js or .mjs)'

/** Parts of the crawler that a file beside the configuration may add or replace. See docs/extending.md. */
export const partSettings = {
  'parts.modules': {
    kind: 'parts',
    default: [],
    builtIn: [],
    expected: files,
    about:
      'Processing modules: files that are given every page of their media types, each in a thread of its own. Paths start at the configuration file and stay in its folder, as for all parts.',
  },
  'parts.protocols': {
    kind: 'parts',
    default: [],
    builtIn: [],
    expected: files,
    about: 'Protocol modules: files that speak further protocols, so that their URLs can be crawled and watched.',
  },
  'parts.filters': {
    kind: 'parts',
    default: [],
    builtIn: [],
    expected: files,
    about: 'URL filters: a link is followed only if all of them accept it. Others are counted as out of scope.',
  },
  'parts.storage': {
    kind: 'parts',
    default: ['archive'],
    builtIn: ['archive'],
    expected: `\`archive\` and ${files}`,
    about: 'Storages that are given every new version, in turn.',
  },
  'parts.output': {
    kind: 'string',
    default: './erace-output',
    pattern: /^[^\p{Cc}]{1,1000}$/u,
    expected: 'the path of a folder',
    about: 'Folder that modules and storages write their results to; relative to the working directory.',
  },
  'parts.pageTime': duration('30s', ['100ms', '1h'], 'How long a module or storage may take for one page.'),
  'parts.memory': bytes('256MB', ['32MB', '64GB'], 'Memory of a module or storage; one that takes more is ended.'),
  'parts.maxFaults': integer(
    5,
    [1, 10_000],
    'A module that hung, crashed or took too much memory this often is switched off. One fault is forgiven for every 100 pages.',
  ),
  'parts.checkpointEvery': duration('10s', ['100ms', '1h'], 'How often the state of modules and storages is stored.'),
  'parts.frontier': part(
    ['hashed', 'dynamic'],
    'Which thread crawls a host: by a hash of its domain (`hashed`), or one that is free (`dynamic`, for few hosts, as on an intranet). In a cluster hosts are always spread by hash.',
  ),
  'parts.urlSet': part(
    ['cache', 'bloom'],
    'The set of URLs seen in the memory of each thread, in front of the exact one in the store: a `cache` that forgets, or a `bloom` filter, which does not but drops one new link in a hundred when it is full.',
  ),
  'parts.documentSet': part(
    ['digest', 'memory'],
    'Which pages count as copies of others: by the digests in the store (`digest`), or by 64-bit fingerprints in the memory of each thread (`memory`).',
  ),
  'parts.scorer': part(
    ['none'],
    'A further scorer that profiles may name beside `keywords` and `bm25`: a file that says what a keyword in a document is worth.',
  ),
  'parts.resolver': part(
    ['system', 'os'],
    'What finds the addresses of host names: the name servers, asked directly (`system`), or the operating system (`os`).',
  ),
} as const satisfies Record<string, Setting>

function part<const N extends string>(builtIn: readonly [N, ...N[]], about: string) {
  const expected = `${builtIn.map((name) => `\`${name}\``).join(', ')} or a path that starts with ./ (.ts, .mts, .js or .mjs)`
  return { kind: 'part', default: builtIn[0], builtIn, expected, about } as const
}
