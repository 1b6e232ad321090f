import { useState } from 'react'
import { Link } from 'wouter'
import type { Annotation } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { type ExplainedTerm, readExplanation, type Why } from './explanation.ts'
import { MuteDialog } from './mute-dialog.tsx'
import { strings } from './strings.ts'
import { TuneDialog, type Tuning } from './tune-dialog.tsx'

const texts = strings.why

function TrackedWhy({ why, kind }: { why: Extract<Why, { kind: 'tracked' }>; kind: Annotation['kind'] }) {
  if (why.added === null && why.removed === null) return <p>{texts.tracked(kind)}</p>
  return (
    <p>
      {texts.trackedBy}
      <strong className="pane-added">{texts.added(why.added ?? 0)}</strong>{' '}
      <strong className="pane-removed">{texts.removed(why.removed ?? 0)}</strong>
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
      <p className="numbers">{texts.score(kind, why.relevance, why.threshold)}</p>
      {why.terms.length > 0 && <WhyTerms why={why} onExclude={({ key }) => onTune({ kind: 'exclude', term: key })} />}
      {why.expression !== null && (
        <p>
          {texts.expression}
          <code className="break pane-code">{why.expression.source}</code>
        </p>
      )}
      {why.exclusions.length > 0 && <p className="faint">{texts.noExclusions(why.exclusions)}</p>}
    </>
  )
}

/** Why the user got this item, and what to do about it. */
export function WhySection({ item }: { item: Annotation }) {
  const [tuning, setTuning] = useState<Tuning | null>(null)
  const [isMuting, setMuting] = useState(false)
  const why = readExplanation(item.explanation)
  const profileHref = `/profiles/${encodeURIComponent(item.profile.id)}`
  return (
    <section className="kit-stack pane-part pane-why">
      <h3>{texts.title}</h3>
      <p>
        {texts.profile}
        <Link href={profileHref}>{item.profile.name}</Link>
      </p>
      {why.kind === 'interests' && <InterestsWhy why={why} kind={item.kind} onTune={setTuning} />}
      {why.kind === 'tracked' && <TrackedWhy why={why} kind={item.kind} />}
      {why.kind === 'gone' && <p>{texts.gone(why.status)}</p>}
      {why.kind === 'unknown' && <p>{texts.happened(item.kind)}</p>}
      <div className="kit-row">
        {why.kind === 'interests' && (
          <Button
            label={texts.raise}
            small
            onClick={() => setTuning({ kind: 'threshold', relevance: why.relevance })}
          />
        )}
        <Button label={texts.mute(item.source)} small icon="mute" onClick={() => setMuting(true)} />
      </div>
      {tuning !== null && <TuneDialog item={item} tuning={tuning} onClose={() => setTuning(null)} />}
      {isMuting && <MuteDialog item={item} onClose={() => setMuting(false)} />}
    </section>
  )
}

type TermsProps = { why: Extract<Why, { kind: 'interests' }>; onExclude: (term: ExplainedTerm) => void }

function positionsOf({ count, inTitle }: ExplainedTerm, isOfChange: boolean): string {
  if (inTitle === 0) return isOfChange ? texts.inChange(count) : texts.inText(count)
  return inTitle >= count ? texts.inTitle(count) : texts.inBoth(count, inTitle)
}

function WhyTerms({ why, onExclude }: TermsProps) {
  return (
    <div className="pane-terms-frame">
      <table className="small pane-terms">
        <thead>
          <tr>
            <th scope="col">{texts.term}</th>
            <th scope="col">{texts.where}</th>
            <th scope="col" className="numbers pane-terms-number">
              {texts.weight}
            </th>
            <th scope="col" className="numbers pane-terms-number">
              {texts.points}
            </th>
            <th scope="col">
              <span className="visually-hidden">{texts.termActions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {why.terms.map((term) => (
            <tr key={term.key}>
              <th scope="row">{term.key}</th>
              <td>{positionsOf(term, why.isOfChange)}</td>
              <td className="numbers pane-terms-number">{strings.score(term.weight)}</td>
              <td className="numbers pane-terms-number">{strings.score(term.worth)}</td>
              <td className="pane-terms-number">
                <Button
                  label={texts.exclude}
                  small
                  variant="quiet"
                  onClick={() => onExclude(term)}
                  aria-label={texts.excludeTerm(term.key)}
                />
              </td>
            </tr>
          ))}
          {why.furtherTerms > 0 && (
            <tr>
              <td colSpan={3}>{texts.moreTerms(why.furtherTerms)}</td>
              <td className="numbers pane-terms-number">{strings.score(why.furtherWorth)}</td>
              <td />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}
