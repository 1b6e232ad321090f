import { useState } from 'react'
import { Link } from 'wouter'
import type { Annotation } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { type ExplainedTerm, readExplanation, type Why } from './explanation.ts'
import { MuteDialog } from './mute-dialog.tsx'
import { TuneDialog, type Tuning } from './tune-dialog.tsx'
import { WhyTerms } from './why-terms.tsx'

const kindSentence: Record<Annotation['kind'], string> = {
  new: 'The page is new',
  changed: 'The page changed',
  gone: 'The page is no longer there',
  back: 'The page is there again',
}

function figure(n: number): string {
  return String(Math.round(n * 100) / 100)
}

function TrackedWhy({ why, kind }: { why: Extract<Why, { kind: 'tracked' }>; kind: Annotation['kind'] }) {
  if (why.added === null && why.removed === null) return <p>{kindSentence[kind]}, and you follow every change of it.</p>
  return (
    <p>
      You follow every change of this page: <strong className="pane-added">+{why.added ?? 0} words</strong> added,{' '}
      <strong className="pane-removed">−{why.removed ?? 0} words</strong> removed.
    </p>
  )
}

type InterestsProps = {
  why: Extract<Why, { kind: 'interests' }>
  kind: Annotation['kind']
  onTune: (tuning: Tuning) => void
}

function InterestsWhy({ why, kind, onTune }: InterestsProps) {
  return (
    <>
      <p>
        {kindSentence[kind]} and scores <strong className="numbers">{figure(why.relevance)}</strong>; your threshold is{' '}
        <strong className="numbers">{figure(why.threshold)}</strong>.
      </p>
      {why.terms.length > 0 && (
        <WhyTerms why={why} onExclude={({ key }: ExplainedTerm) => onTune({ kind: 'exclude', term: key })} />
      )}
      {why.expression !== null && (
        <p>
          It also meets the condition <code className="pane-code">{why.expression.source}</code>
        </p>
      )}
      {why.exclusions.length > 0 && (
        <p className="faint">None of what you exclude is in it: {why.exclusions.join(', ')}.</p>
      )}
    </>
  )
}

/** Why did I get this, and what to do about it. */
export function WhySection({ item }: { item: Annotation }) {
  const [tuning, setTuning] = useState<Tuning | null>(null)
  const [isMuting, setMuting] = useState(false)
  const why = readExplanation(item.explanation)
  const profileHref = `/profiles/${encodeURIComponent(item.profile.id)}`
  return (
    <section className="pane-part pane-why">
      <h3>Why did I get this?</h3>
      <p>
        Your profile <Link href={profileHref}>{item.profile.name}</Link> found it.
      </p>
      {why.kind === 'interests' && <InterestsWhy why={why} kind={item.kind} onTune={setTuning} />}
      {why.kind === 'tracked' && <TrackedWhy why={why} kind={item.kind} />}
      {why.kind === 'gone' && (
        <p>
          The page is no longer there{why.status > 0 && ` (the site answered ${why.status})`}. Its last version is kept.
        </p>
      )}
      {why.kind === 'untold' && <p>{kindSentence[item.kind]}.</p>}
      <div className="kit-row">
        {why.kind === 'interests' && (
          <Button small onClick={() => setTuning({ kind: 'threshold', relevance: why.relevance })}>
            Raise the threshold…
          </Button>
        )}
        <Button small icon="mute" onClick={() => setMuting(true)}>
          Mute {item.source}…
        </Button>
      </div>
      {tuning !== null && <TuneDialog item={item} tuning={tuning} onClose={() => setTuning(null)} />}
      {isMuting && <MuteDialog item={item} onClose={() => setMuting(false)} />}
    </section>
  )
}
