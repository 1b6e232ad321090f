import { useMutation } from '@tanstack/react-query'
import { ApiError, api, messageOf } from '../api/client.ts'
import type { TriedSource } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { sentenceOf } from '../kit/strings.ts'
import { type DraftSource, type DraftTerm, triedBodyOf } from './draft.ts'
import { strings } from './strings.ts'

const text = strings.sources.try

type Found = Exclude<TriedSource, { kind: 'failed' }>

/**
 * Tries a source as it is in the form, on request, with the profile's keywords if the address is a template for them. A result is valid
 * until the form changes.
 */
export function useTrySource(source: DraftSource, terms: readonly DraftTerm[]) {
  const asked = JSON.stringify(triedBodyOf(source, terms))
  const trying = useMutation({
    mutationFn: (sent: string) => api.send<TriedSource>('POST', '/sources/try', sent, 'application/json'),
  })
  const isCurrent = trying.variables === asked
  const result = isCurrent ? trying.data : undefined
  const failure = result?.kind === 'failed' ? result : null
  const details = isCurrent && trying.error instanceof ApiError ? trying.error.details : []
  return {
    canTry: source.uri.trim() !== '' && !trying.isPending,
    isPending: trying.isPending,
    found: result === undefined || result.kind === 'failed' ? null : result,
    /** An error that belongs to no field. */
    problem: isCurrent && trying.isError && details.length === 0 ? messageOf(trying.error) : null,
    errorOf(field: string): string | undefined {
      if (failure?.field === field) return failure.message
      const detail = details.find(({ place }) => place === field)
      return detail === undefined ? undefined : sentenceOf(detail.message)
    },
    start: () => trying.mutate(asked),
  }
}

type Props = { state: ReturnType<typeof useTrySource>; onFeed: (url: string) => void }

export function TrySource({ state, onFeed }: Props) {
  const { isPending, found, problem } = state
  return (
    <div className="kit-stack profiles-try">
      <div>
        <Button
          label={isPending ? text.trying : text.button}
          small
          icon="search"
          disabled={!state.canTry}
          onClick={state.start}
        />
      </div>
      <div role="status" aria-busy={isPending}>
        {isPending && <p className="small soft">{text.inProgress}</p>}
        {problem !== null && <p className="small kit-field-error">{problem}</p>}
        {found !== null && !isPending && <Result found={found} onFeed={onFeed} />}
      </div>
    </div>
  )
}

function Result({ found, onFeed }: { found: Found; onFeed: (url: string) => void }) {
  const { kind, title, items, count, more, left, text: content, feeds, screenshot } = found
  return (
    <div className="kit-stack profiles-tried">
      <p className="profiles-tried-title break">{title || text.untitled}</p>
      <p className="small soft">{introOf(kind, count, more)}</p>
      {items.length > 0 && (
        <ol className="small profiles-tried-items">
          {items.map(({ name, url, type }) => (
            <li key={url} className="break">
              {name || url}
              {type === 'list' && <span className="faint"> {text.folder}</span>}
            </li>
          ))}
        </ol>
      )}
      {kind === 'page' && content !== '' && <pre className="small profiles-tried-text">{content}</pre>}
      {kind === 'page' && content === '' && <p className="small">{text.noText}</p>}
      {left !== '' && <p className="small soft break">{left}</p>}
      {feeds.length > 0 && (
        <div className="kit-stack">
          <p className="small soft">{text.feeds}</p>
          <ul className="kit-stack">
            {feeds.map((feed) => (
              <li key={feed.url} className="kit-row profiles-tried-feed">
                <span className="small break">{feed.title || feed.url}</span>
                <Button
                  label={text.watchFeed}
                  small
                  aria-label={text.watchFeedNamed(feed.title || feed.url)}
                  onClick={() => onFeed(feed.url)}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
      {screenshot !== undefined && <img className="profiles-tried-picture" src={screenshot} alt={text.screenshot} />}
    </div>
  )
}

function introOf(kind: Found['kind'], count: number, more: boolean): string {
  if (kind === 'list') return text.found.list(count, more)
  return kind === 'feed' ? text.found.feed(count, more) : text.found.page
}
