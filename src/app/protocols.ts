import type { Config } from '../config/config.ts'
import { systemClock } from '../core/clock.ts'
import { AppError, isAppError } from '../core/errors.ts'
import type { Abilities, Protocol, Protocols, ProtocolTools } from '../crawl/fetch/protocol.ts'
import { loadPart } from '../crawl/parts/load-part.ts'
import type { Parts } from '../crawl/parts/part.ts'
import { createBrowserProtocol } from '../fetchers/browser/browser-protocol.ts'
import { createQueryProtocol } from '../fetchers/db/query-protocol.ts'
import { createSqlProtocol } from '../fetchers/db/sql-protocol.ts'
import { schemeOf } from '../fetchers/fetcher.ts'
import { createFileProtocol } from '../fetchers/files/file-protocol.ts'
import { filePathOf } from '../fetchers/files/file-url.ts'
import { createFtpProtocol } from '../fetchers/files/ftp-protocol.ts'
import { createGopherProtocol } from '../fetchers/files/gopher-protocol.ts'
import { createImapProtocol } from '../fetchers/mail/imap.ts'
import { createPop3Protocol } from '../fetchers/mail/pop3.ts'
import { createNntpProtocol } from '../fetchers/news/nntp-protocol.ts'
import { type ProtocolAbilities, webAbilities } from '../services/profiles/protocols.ts'

type ProtocolSettings = Pick<Config, 'files'>

/** Protocol modules of the configuration in this thread, loaded once before their first use. */
let added: readonly Parts['protocol'][] = []

/** Loads the protocol modules that the configuration names. Throws `part-invalid`. */
export async function loadProtocols({ parts }: Pick<Config, 'parts'>): Promise<void> {
  added = await Promise.all(parts.protocols.map((path) => loadPart('protocol', path)))
  const taken = new Map(builtInAbilities)
  for (const [at, part] of added.entries()) {
    const { schemes, can } = part.create(noTools)
    for (const scheme of schemes) {
      if (taken.has(scheme))
        throw new AppError('part-invalid', `${parts.protocols[at]}: there is a protocol for ${scheme}: already`)
      taken.set(scheme, abilityOf(can))
      protocolAbilities.set(scheme, abilityOf(can))
    }
  }
}

/** What can be watched, including the configured protocol modules. */
export async function loadAbilities(config: Pick<Config, 'parts'>): Promise<ProtocolAbilities> {
  await loadProtocols(config)
  return protocolAbilities
}

/** All protocols except the web's own. */
function allProtocols(settings: ProtocolSettings, tools: ProtocolTools): Protocol[] {
  return [...builtIn(settings, tools), ...added.map((part) => part.create(tools))]
}

function builtIn({ files }: ProtocolSettings, tools: ProtocolTools): Protocol[] {
  const { roots } = files
  return [
    createFileProtocol({ roots }),
    createFtpProtocol(),
    createGopherProtocol(),
    createImapProtocol(),
    createPop3Protocol(),
    createNntpProtocol(),
    createSqlProtocol({ roots }),
    createQueryProtocol(tools),
  ]
}

/** The protocols for one crawling thread, according to the settings. */
export function createProtocols(
  config: ProtocolSettings & Pick<Config, 'browser'>,
): (tools: ProtocolTools) => Protocols {
  return (tools) => ({
    others: allProtocols(config, tools),
    browser: createBrowserProtocol({ ...tools, config: config.browser }),
  })
}

/** Allows reading the folders named as seeds on the command line. A seed that isn't the URL of a folder or file fails by itself. */
export function withSeedFolders<T extends ProtocolSettings>(config: T, seeds: readonly string[]): T {
  const named = seeds.filter((seed) => seed.startsWith('file:')).flatMap(seedFolder)
  return named.length === 0
    ? config
    : { ...config, files: { ...config.files, roots: [...config.files.roots, ...named] } }
}

function seedFolder(seed: string): string[] {
  try {
    return [filePathOf(seed).path.toString()]
  } catch (error) {
    if (isAppError(error, 'url-invalid')) return []
    throw error
  }
}

/** For querying the abilities of protocols: nothing is fetched. */
const noTools: ProtocolTools = {
  fetch: () => Promise.reject(new AppError('internal', 'nothing is fetched here')),
  mayFetch: async () => false,
  browserPages: { take: () => false, giveBack() {} },
  clock: systemClock,
  log() {},
}

/** What can be watched, by URI scheme. */
const builtInAbilities: ProtocolAbilities = new Map([
  ...webAbilities,
  ...builtIn({ files: { roots: [] } }, noTools).flatMap(({ schemes, can }) =>
    schemes.map((scheme) => [scheme, abilityOf(can)] as const),
  ),
])

/** The same, including loaded modules. */
export const protocolAbilities = new Map(builtInAbilities)

function abilityOf({ push, credentials, depth }: Abilities) {
  return { push, credentials, depth, browser: false }
}

/** The protocols that can push news. */
export const createListeningProtocols = (config: ProtocolSettings): Protocol[] =>
  allProtocols(config, noTools).filter(({ can }) => can.push)

/** Normalises URIs of protocols other than the web's, as their protocol defines. Throws `url-invalid`. */
export function createSourceSpelling(config: ProtocolSettings): (uri: string) => string {
  const protocols = allProtocols(config, noTools)
  return (uri) => {
    const scheme = schemeOf(uri)
    return protocols.find(({ schemes }) => schemes.includes(scheme))?.normalise(uri) ?? uri
  }
}

/** URI schemes that can be watched. */
export const watchableSchemes = (): string[] => [...protocolAbilities.keys()]
