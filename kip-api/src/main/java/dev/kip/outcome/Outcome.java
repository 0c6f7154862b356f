package dev.kip.outcome;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What a call at a port came to: {@link Ok} with a value or {@link Failed} with an error of the port's sealed family.
 *
 * @param <T> the value
 * @param <E> the error
 */
public sealed interface Outcome<T, E> {

    static <T, E> Outcome<T, E> ok(T value) {
        return new Ok<>(value);
    }

    static <T, E> Outcome<T, E> failed(E error) {
        return new Failed<>(error);
    }

    <U> Outcome<U, E> map(Function<? super T, ? extends U> change);

    <F> Outcome<T, F> mapError(Function<? super E, ? extends F> change);

    <R> R fold(Function<? super T, ? extends R> ok, Function<? super E, ? extends R> failed);

    void on(Consumer<? super T> ok, Consumer<? super E> failed);

    Optional<T> value();

    Optional<E> error();

    record Ok<T, E>(T result) implements Outcome<T, E> {
        @Override
        public <U> Outcome<U, E> map(Function<? super T, ? extends U> change) {
            return new Ok<>(change.apply(result));
        }

        @Override
        public <F> Outcome<T, F> mapError(Function<? super E, ? extends F> change) {
            return new Ok<>(result);
        }

        @Override
        public <R> R fold(Function<? super T, ? extends R> ok, Function<? super E, ? extends R> failed) {
            return ok.apply(result);
        }

        @Override
        public void on(Consumer<? super T> ok, Consumer<? super E> failed) {
            ok.accept(result);
        }

        @Override
        public Optional<T> value() {
            return Optional.of(result);
        }

        @Override
        public Optional<E> error() {
            return Optional.empty();
        }
    }

    record Failed<T, E>(E reason) implements Outcome<T, E> {
        @Override
        public <U> Outcome<U, E> map(Function<? super T, ? extends U> change) {
            return new Failed<>(reason);
        }

        @Override
        public <F> Outcome<T, F> mapError(Function<? super E, ? extends F> change) {
            return new Failed<>(change.apply(reason));
        }

        @Override
        public <R> R fold(Function<? super T, ? extends R> ok, Function<? super E, ? extends R> failed) {
            return failed.apply(reason);
        }

        @Override
        public void on(Consumer<? super T> ok, Consumer<? super E> failed) {
            failed.accept(reason);
        }

        @Override
        public Optional<T> value() {
            return Optional.empty();
        }

        @Override
        public Optional<E> error() {
            return Optional.of(reason);
        }
    }
}
