package dev.kip.controller.cost;

import com.google.common.collect.ImmutableMap;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * What the cells of this virtual node may cost, in USD an hour. Reaching it stops launches and ends nothing.
 *
 * @param hourlyUsd of all namespaces together; no ceiling if empty
 * @param namespaces by namespace, besides that
 */
public record BudgetSettings(Optional<BigDecimal> hourlyUsd, ImmutableMap<String, BigDecimal> namespaces) {

    public static final BudgetSettings NONE = new BudgetSettings(Optional.empty(), ImmutableMap.of());
}
