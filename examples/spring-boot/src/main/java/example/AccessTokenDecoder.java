package example;

import java.util.Objects;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;

/**
 * Accepts tokens of the type at+jwt (RFC 9068). Boot's own decoder accepts only JWT.
 *
 * <p>Delete this class if the deployment has accessTokenType JWT. The profile is for the test of
 * this example.
 */
@Configuration
@Profile("!access-token-type-jwt")
class AccessTokenDecoder {
  /** Discovers the issuer at the first token, as Boot's decoder does. */
  @Bean
  JwtDecoder jwtDecoder(
      @Value("${spring.security.oauth2.resourceserver.jwt.issuer-uri}") String issuer,
      @Value("${spring.security.oauth2.resourceserver.jwt.audiences}") String audience) {
    var validator =
        JwtValidators.createAtJwtValidator()
            .issuer(issuer)
            .audience(audience)
            // Spring wants this said: which clients may call. Here, any client.
            .validators(
                all ->
                    all.put("client_id", new JwtClaimValidator<>("client_id", Objects::nonNull)))
            .build();
    return new SupplierJwtDecoder(
        () -> {
          // The validator checks the type.
          var decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
          decoder.setJwtValidator(validator);
          return decoder;
        });
  }
}
