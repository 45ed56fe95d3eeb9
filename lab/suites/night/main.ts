import { runScenarios } from '../../ministack/scenarios.ts';
import { oneRegionNames } from '../deploy/one-region.ts';
import { playNight } from './incidents.ts';

/*
 * Incidents on a deployment in an emulator of AWS, each from what its alarm says to its end, by the
 * pages only: the commands are those of the pages, word for word. The emulator rings nothing: that
 * an alarm would ring is computed in test/lib/alarm-model.test.ts.
 */

await runScenarios({
  night: { title: 'The bad night', names: oneRegionNames, prove: playNight },
});
