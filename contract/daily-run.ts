/**
 * The alias of the management function that makes its daily run. It is no role: only the schedule
 * may invoke it, and it takes no request.
 */
export const dailyRunAlias = 'daily-run';

/**
 * Hour of the day, UTC, from which on a new run is due: before work begins in the platform's
 * regions.
 */
export const dailyRunHour = 12;

/**
 * Minutes between two attempts. An attempt does the rest of what the one before could not; nearly
 * all find that nothing is due, which is one read.
 */
export const dailyRunMinutes = 15;

/** Days that a run looks back for changes, if no run was made meanwhile. The audit has them all. */
export const maxChangeDays = 30;

export const dailyRunMetrics = {
  /** 1 for each attempt after which nothing is due, 0 for others. */
  upToDate: 'DailyRunUpToDate',
  /** Clients outside the grants of their trunk groups, in the last report. */
  outside: 'ClientsOutsideGrants',
} as const;

/** Hours without an attempt after which nothing is due, until there is an alarm. */
export const dailyRunAlarmHours = 6;
